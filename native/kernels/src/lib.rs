//! What `steelyard.kernels.reference` defines, fast: pure functions over text.
//!
//! Nothing here knows Python. A function answers `None` where the definition in Python must
//! be asked: a character that not every side knows, or more combining marks than may be.
