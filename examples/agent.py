"""An agent of your own: any function of the input.

Run it with `steelyard run examples/agent.yaml`.
"""

ANSWERS = {"What is the capital of France?": "It is Paris.", "2 + 2?": "4"}


def answer(question: str) -> str:
    return ANSWERS.get(question, "I do not know.")
