"""Suggests what to use instead of a CUDA call that recording does not support."""

from __future__ import annotations

import re

_ROWS = (
    (
        r"cudaMallocManaged|cudaMem(Prefetch|Advise|RangeGet|Discard)\w*|cudaStreamAttachMemAsync|__managed__",
        "managed memory is not there: allocate with cudaMalloc() and copy with cudaMemcpy()",
    ),
    (
        r"cudaMallocHost|cudaHost\w+|cudaFreeHost",
        "pinned memory is not there: copy from an ordinary array of the host, which costs no time in the measurement",
    ),
    (r"cudaGraphAdd\w+|cudaGraphCreate|cudaGraph\w*Node\w*", "make the graph by capturing a stream"),
    (r"cudaStreamBeginCaptureToGraph", "make the graph by cudaStreamBeginCapture()"),
    (
        r"cuda(Create|Destroy|Get)(Texture|Surface)\w*|cudaCreateChannelDesc\w*|cuda\w*Array\w*|cuda\w*Mipmapped\w*|__cudaRegister(Texture|Surface)",
        "textures and cudaArrays are not there: read the array by its pointer, with __ldg() where it is only read",
    ),
    (r"cudaDeviceReset", "remove it: the device belongs to the judge"),
    (r"cuda\w*Peer\w*|cudaIpc\w+", "there is one device"),
    (r"cudaMemPoolCreate|cudaMemPool\w+|cudaDeviceSetMemPool", "use cudaMallocAsync() and the default pool"),
    (r"cudaLibrary\w+|cudaKernel\w+|cuModule\w+|cuLibrary\w+", "call the kernels of this file by <<<>>>"),
    (r"cudaExternal\w+|cudaImport\w+|cudaGraphics\w+", "remove it: there is no graphics here"),
    (r"\w+_pt[ds]s?z?", "compile without a default stream for each thread: use streams of cudaStreamCreate()"),
    (r"cublas\w*|cudnn\w*|cufft\w*|cusparse\w*|cusolver\w*|curand\w*", "write it as a kernel: no library is there"),
    (r"nvrtc\w+|dl\w+", "write the kernel into this file"),
    (r"cu[A-Z]\w+", "use the CUDA runtime, whose names begin with cuda, instead of the driver's functions"),
)

_GENERAL = "use launches, cudaMalloc(), cudaMemcpy(), cudaMemset(), streams, events or graphs by capture instead"


def advice_for(call: str) -> str:
    """Returns one line: what to use instead of this call."""
    for pattern, advice in _ROWS:
        if re.fullmatch(pattern, call):
            return advice
    return _GENERAL
