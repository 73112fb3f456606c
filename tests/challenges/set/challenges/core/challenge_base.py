"""What every challenge of this set builds on, and descriptions of tensors that are made only when they are needed."""

from abc import ABC, abstractmethod


class Drawn:
    """Numbers drawn evenly from low up to high, which is left out."""

    def __init__(self, shape, low, high, dtype="float32"):
        self.shape, self.low, self.high, self.dtype = tuple(shape), low, high, dtype


class Normal:
    """Normal numbers."""

    def __init__(self, shape, mean=0.0, std=1.0, dtype="float32"):
        self.shape, self.mean, self.std, self.dtype = tuple(shape), mean, std, dtype


class Filled:
    """The same value everywhere."""

    def __init__(self, shape, value, dtype="float32"):
        self.shape, self.value, self.dtype = tuple(shape), value, dtype


class Result:
    """Room for a result."""

    def __init__(self, shape, dtype="float32"):
        self.shape, self.dtype = tuple(shape), dtype


class ChallengeBase(ABC):
    """A challenge states its fields by keywords, or as attributes of its class."""

    def __init__(self, **fields):
        self.device = "cuda"
        for field, value in fields.items():
            setattr(self, field, value)

    @abstractmethod
    def reference_impl(self, *args, **kwargs): ...

    @abstractmethod
    def get_solve_signature(self): ...

    @abstractmethod
    def generate_example_test(self): ...

    @abstractmethod
    def generate_functional_test(self): ...

    @abstractmethod
    def generate_performance_test(self): ...
