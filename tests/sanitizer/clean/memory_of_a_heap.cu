// Each thread takes memory of the device's heap, by malloc() and by new; objects have a destructor that is never called.
// launch: 4 64
struct Shape {
    __device__ virtual float area(float side) const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    __device__ float area(float side) const override { return side * side; }
};
struct Circle : Shape {
    __device__ float area(float side) const override { return 3.0f * side * side; }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Square square;
    Circle circle;
    Shape* shape = i % 3 ? static_cast<Shape*>(&square) : &circle;
    float* sides = static_cast<float*>(malloc(2 * sizeof(float)));
    int* index = new int[3];
    if (!sides || !index || malloc(1ull << 40)) __trap();
    sides[1] = in[i];
    index[2] = i;
    out[index[2]] = shape->area(sides[1]);
    delete[] index;
    free(sides);
}
