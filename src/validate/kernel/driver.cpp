// Starts one kernel and writes what its arrays hold then to files. The program is called with the sizes of the grid and
// of the block (three each), the bytes of dynamic shared memory, and the files that fill arrays, in order.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace hipshift_driver {

inline void check(gpuError_t status, const char *what) {
    if (status == gpuSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, gpuGetErrorString(status));
    std::exit(1);
}

[[noreturn]] inline void fail(const char *what, const char *about) {
    std::fprintf(stderr, "%s: %s\n", about, what);
    std::exit(1);
}

inline unsigned number(const char *word) { return static_cast<unsigned>(std::strtoul(word, nullptr, 10)); }

// The upper half of a float, rounded to the nearest, to even if two are as near.
struct Bfloat16 {
    std::uint16_t bits = 0;

    Bfloat16() = default;
    explicit Bfloat16(float value) {
        std::uint32_t all;
        std::memcpy(&all, &value, sizeof all);
        const bool is_nan = value != value;
        bits = static_cast<std::uint16_t>((is_nan ? all | 0x400000u : all + 0x7fffu + (all >> 16 & 1u)) >> 16);
    }
};

template <typename To, typename From> To same_bits(const From &value) {
    static_assert(sizeof(To) == sizeof(From), "types of one size");
    To result;
    std::memcpy(static_cast<void *>(&result), &value, sizeof result);
    return result;
}

// Types of 16 bits convert from float only.
template <typename T> T value_of(double value) {
    if constexpr (sizeof(T) == 2 && !std::numeric_limits<T>::is_integer) {
        return T(static_cast<float>(value));
    } else {
        return static_cast<T>(value);
    }
}

template <typename T> std::vector<T> ramp(std::size_t count, double start, double step) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = value_of<T>(start + step * static_cast<double>(i));
    return values;
}

// Each number of the sequence is mixed from its place, with 53 bits.
template <typename T> std::vector<T> random(std::size_t count, std::uint64_t seed, double low, double high) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t bits = seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(i) * 0xd1342543de82ef95u;
        for (int round = 0; round < 3; ++round) bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
        const double share = static_cast<double>((bits ^ (bits >> 32)) >> 11) / 9007199254740992.0;
        values[i] = value_of<T>(low + (high - low) * share);
    }
    return values;
}

template <typename T> std::vector<T> file(std::size_t count, const char *path, long offset) {
    std::vector<T> values(count);
    std::FILE *in = std::fopen(path, "rb");
    if (in == nullptr) fail("cannot be opened", path);
    const bool is_read =
        std::fseek(in, offset, SEEK_SET) == 0 && std::fread(values.data(), sizeof(T), count, in) == count;
    std::fclose(in);
    if (!is_read) fail("holds too little", path);
    return values;
}

template <typename T> T *upload(const std::vector<T> &values, const char *name) {
    T *memory = nullptr;
    const std::size_t size = values.size() * sizeof(T);
    check(gpuMalloc(reinterpret_cast<void **>(&memory), size), name);
    check(gpuMemcpy(memory, values.data(), size, gpuMemcpyHostToDevice), name);
    return memory;
}

// Version 1.0 of NumPy's format: the elements begin at a multiple of 64 bytes.
template <typename T> void save(const T *memory, std::size_t count, const char *name, const char *descr) {
    std::vector<T> values(count);
    check(gpuMemcpy(values.data(), memory, count * sizeof(T), gpuMemcpyDeviceToHost), name);
    std::string header = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (" +
                         std::to_string(count) + ",), }";
    header.append(63 - (header.size() + 10) % 64, ' ');
    header += '\n';
    const std::string path = std::string(name) + ".npy";
    std::FILE *out = std::fopen(path.c_str(), "wb");
    if (out == nullptr) fail("cannot be written", path.c_str());
    const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<unsigned char>(header.size() & 255),
                                     static_cast<unsigned char>(header.size() >> 8)};
    bool is_written = std::fwrite(start, 1, sizeof start, out) == sizeof start;
    is_written = std::fwrite(header.data(), 1, header.size(), out) == header.size() && is_written;
    is_written = std::fwrite(values.data(), sizeof(T), count, out) == count && is_written;
    is_written = std::fclose(out) == 0 && is_written;
    if (!is_written) fail("cannot be written", path.c_str());
}

}  // namespace hipshift_driver
