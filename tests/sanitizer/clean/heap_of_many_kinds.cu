// Fields of bits, padding, bytes and over-aligned objects on the heap.
// launch: 2 64
struct Bits {
    unsigned low : 3, middle : 7, high : 22;
};
struct Flags {
    bool on : 1, off : 1;
};
struct Mixed {
    char c;
    short s;
    double d;
    int i;
};
struct alignas(128) Line {
    float values[40];
};
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Bits* bits = new Bits;
    bits->low = i;
    bits->high = n;
    Flags* flags = new Flags;
    flags->on = i & 1;
    Mixed* mixed = new Mixed;
    mixed->c = 1;
    mixed->s = 2;
    mixed->d = in[i];
    mixed->i = i;
    Mixed* copy = new Mixed(*mixed);
    char* text = static_cast<char*>(malloc(7));
    memcpy(text, "kgrade", 7);
    Line* lines = new Line[2];
    if (reinterpret_cast<unsigned long long>(lines) % 128) __trap();
    lines[1].values[39] = in[i];
    out[i] = bits->low + bits->high + flags->on + copy->c + copy->s + copy->d + copy->i + text[i % 6] + lines[1].values[39];
    delete bits;
    delete flags;
    delete mixed;
    delete copy;
    free(text);
    delete[] lines;
}
