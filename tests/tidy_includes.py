"""Headers that nothing uses, declarations that nothing uses, and standard headers that are missing.

A unity build compiles a file together with its neighbours, whose includes hide what the file itself
forgot; so this reads the text instead. It knows names, not meanings: it may miss something, but what
it reports is wrong.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Names by which a file is known to use a standard header.
STANDARD = {
    "algorithm": r"std::(?:ranges::)?(?:sort|stable_sort|find\w*|count\w*|copy\w*|transform|all_of|any_of"
                 r"|none_of|equal|min|max|minmax|clamp|lower_bound|upper_bound|binary_search|remove\w*"
                 r"|unique(?:_copy)?|reverse|rotate|fill\w*|generate\w*|for_each|search|mismatch|merge|replace\w*"
                 r"|set_\w+|includes|is_sorted\w*|partition\w*|min_element|max_element|shuffle|sample"
                 r"|lexicographical_compare\w*|nth_element|equal_range|adjacent_find|push_heap|pop_heap"
                 r"|make_heap|swap_ranges|starts_with|move_backward|is_permutation|iter_swap)\b",
    "array": r"std::(?:array|to_array)\b",
    "atomic": r"std::(?:atomic\w*|memory_order\w*)\b",
    "bitset": r"std::bitset\b",
    "cerrno": r"\berrno\b|\bE[A-Z]{3,}\b",
    "charconv": r"std::(?:from_chars|to_chars|chars_format)\b",
    "chrono": r"\bchrono\b",
    "cmath": r"std::(?:ceil|floor|round|pow|log\w*|sqrt|isfinite|abs|fabs|trunc|llround|lround|exp|isnan)\b",
    "compare": r"<=>|std::\w+_ordering\b",
    "condition_variable": r"std::condition_variable\w*\b",
    "csignal": r"\bsig\w+\b|\bSIG\w+\b|std::(?:signal|raise)\b",
    "cstddef": r"\b(?:size_t|ptrdiff_t|nullptr_t|offsetof|max_align_t)\b|std::byte\b",
    "cstdint": r"\bu?int(?:8|16|32|64|ptr)_t\b|\b(?:INT|UINT)\d+_MAX\b",
    "cstdio": r"\b(?:f?printf|snprintf|FILE|stderr|stdout|stdin|fopen|fclose|fputs|fputc|fwrite|fflush|fread"
              r"|rename|perror|puts|fileno|EOF|remove)\b",
    "cstdlib": r"\b(?:abort|exit|_Exit|getenv|setenv|unsetenv|mkdtemp|mkstemp|malloc|free|strto\w+|abs|atoi"
               r"|EXIT_\w+|system|calloc|realloc|quick_exit|llabs)\b",
    "cstring": r"\b(?:mem(?:cpy|cmp|chr|set|move|mem)|str(?:len|cmp|ncmp|chr|error\w*|signal))\b",
    "ctime": r"\b(?:time_t|gmtime_r|timegm|strftime|tm|clock_gettime|timespec|localtime\w*|clock_t)\b",
    "deque": r"std::deque\b",
    "exception": r"std::(?:exception\w*|terminate|current_exception|rethrow_exception|uncaught_exceptions)\b",
    "filesystem": r"\bfilesystem\b",
    "fstream": r"std::(?:[io]?fstream|filebuf)\b",
    "functional": r"std::(?:function|less|greater|equal_to|hash|invoke|bind\w*|c?ref|identity|plus|minus"
                  r"|multiplies|not_fn|not_equal_to|less_equal|boyer_moore\w*|default_searcher|reference_wrapper)\b",
    "future": r"std::(?:promise|future\w*|async|packaged_task|shared_future)\b",
    "initializer_list": r"std::initializer_list\b",
    "iostream": r"std::(?:cout|cerr|cin|clog)\b",
    "iterator": r"std::(?:back_inserter|inserter|next|prev|distance|advance|size|ssize|begin|end|rbegin|rend|data"
                r"|make_move_iterator|istream\w*_iterator|ostream_iterator|reverse_iterator|make_reverse_iterator"
                r"|\w+_iterator_tag|iterator_traits|move_iterator|empty|input_iterator\w*|forward_iterator\w*)\b",
    "limits": r"std::numeric_limits\b",
    "list": r"std::list\b",
    "map": r"std::(?:multi)?map\b",
    "memory": r"std::(?:unique_ptr|shared_ptr|weak_ptr|make_\w+|allocate_shared|addressof|enable_shared_from_this"
              r"|static_pointer_cast|dynamic_pointer_cast|allocator\w*|destroy_at|construct_at|default_delete"
              r"|to_address|const_pointer_cast|pointer_traits|uninitialized_\w+)\b",
    "memory_resource": r"std::pmr::",
    "mutex": r"std::(?:mutex|recursive_mutex|lock_guard|unique_lock|scoped_lock|call_once|once_flag|defer_lock|adopt_lock|timed_mutex|try_to_lock|lock)\b",
    "new": r"std::(?:bad_alloc|nothrow|launder|align_val_t|hardware_\w+)\b|::operator new|new \(",
    "numeric": r"std::(?:accumulate|iota|reduce|gcd|lcm|partial_sum|inner_product|midpoint|exclusive_scan)\b",
    "optional": r"std::(?:optional|nullopt\w*|make_optional)\b",
    "ostream": r"std::(?:ostream|endl|flush)\b",
    "queue": r"std::(?:priority_)?queue\b",
    "random": r"std::(?:mt19937\w*|random_device|\w+_distribution|default_random_engine|seed_seq|minstd_rand\w*)\b",
    "ranges": r"std::(?:views|ranges::(?:subrange|view\w*|iota\w*|to|range|\w+_range\w*|begin|end|size))\b",
    "regex": r"std::(?:regex\w*|smatch|cmatch|sregex\w*)\b",
    "set": r"std::(?:multi)?set\b",
    "shared_mutex": r"std::(?:shared_mutex|shared_lock|shared_timed_mutex)\b",
    "span": r"std::(?:span|as_bytes|dynamic_extent)\b",
    "sstream": r"std::[io]?stringstream\b",
    "stdexcept": r"std::(?:runtime_error|logic_error|invalid_argument|out_of_range|length_error)\b",
    "stop_token": r"std::(?:stop_\w+|jthread)\b",
    "string": r"std::(?:string|to_string|getline|sto\w+|char_traits|u16string|u32string|u8string|wstring|basic_string|erase|erase_if)\b",
    "string_view": r"std::(?:u8)?string_view\b|std::basic_string_view\b|\"sv\b",
    "system_error": r"std::(?:error_code|errc|system_error|system_category|generic_category|make_error_code|error_condition)\b",
    "thread": r"std::(?:thread|jthread|this_thread)\b",
    "tuple": r"std::(?:tuple|tie|make_tuple|apply|forward_as_tuple|ignore|tuple_\w+|get)\b",
    "type_traits": r"std::(?:is_\w+|remove_\w+|decay\w*|enable_if\w*|conditional\w*|underlying_type\w*|invoke_result\w*"
                   r"|true_type|false_type|void_t|common_type\w*|make_unsigned\w*|make_signed\w*|integral_constant|add_\w+|type_identity\w*|bool_constant|aligned_storage\w*|extent_v|rank_v)\b",
    "typeinfo": r"\btypeid\b",
    "unordered_map": r"std::unordered_(?:multi)?map\b",
    "unordered_set": r"std::unordered_(?:multi)?set\b",
    "utility": r"std::(?:move|pair|swap|forward|exchange|make_pair|in_place\w*|as_const|declval|index_sequence\w*"
               r"|make_index_sequence|integer_sequence|cmp_\w+|in_range|to_underlying|piecewise_construct|unreachable|get|rel_ops)\b",
    "variant": r"std::(?:variant\w*|visit|get_if|holds_alternative|monostate|get)\b",
    "vector": r"std::(?:vector|erase|erase_if)\b",
    "version": r"__cpp_\w+",
    "bit": r"std::(?:bit_\w+|countl_\w+|countr_\w+|popcount|endian|byteswap|rotl|rotr|has_single_bit)\b",
    "concepts": r"std::(?:same_as|integral|convertible_to|invocable|derived_from|constructible_from|floating_point|unsigned_integral|signed_integral|predicate|copyable|movable|regular|swappable|totally_ordered|equality_comparable)\b",
    "cctype": r"std::(?:is\w+|tolower|toupper)\b|\b(?:isalnum|isdigit|isalpha|isspace|isxdigit|isupper|islower|tolower|toupper|isprint)\(",
    "climits": r"\b(?:CHAR_BIT|INT_MAX|LONG_MAX|LLONG_MAX|UINT_MAX|PATH_MAX|INT_MIN|IOV_MAX|SSIZE_MAX)\b",
    "cassert": r"\bassert\(",
    "istream": r"std::istream\b",
    "iomanip": r"std::(?:setw|setfill|hex|setprecision|put_time|get_time|quoted)\b",
    "latch": r"std::latch\b",
    "barrier": r"std::barrier\b",
    "semaphore": r"std::(?:counting|binary)_semaphore\b",
    "source_location": r"std::source_location\b",
    "typeindex": r"std::type_index\b",
    "any": r"std::any(?:_cast)?\b(?!_)",
    "stack": r"std::stack\b",
    "coroutine": r"std::coroutine\w*\b",
    "ratio": r"std::(?:ratio|milli|micro|nano)\b",
    "locale": r"std::locale\b",
    "cinttypes": r"\bPRI\w+\b|std::imaxdiv",
    "cstdarg": r"\bva_\w+\b",
}
# Headers whose names come with others in every standard library, or that are used without a name.
NOT_REQUIRED = {"cstddef", "compare", "utility", "ostream", "initializer_list", "iterator", "tuple",
                "exception", "type_traits", "cmath", "functional", "new", "cstdlib", "ctime", "csignal",
                "cerrno", "cstdio", "cstring", "system_error", "ratio", "concepts", "ranges", "variant",
                "stop_token", "numeric", "stdexcept", "string_view", "istream", "bit", "cctype"}

# Functions of the product that only tests, generated sources and libraries call, each with its
# reason.
USED_BY_TESTS = {
    "DocumentationPage": "defined by a generated source",
    "IndexPage": "defined by a generated source",
    "ModelHelp": "tests measure the help that a table of commands makes",
    "BackupHelp": "tests measure the help that a table of commands makes",
    "ParseModelArguments": "tests read options without running a command",
    "WaitForJobs": "tests wait for background work",
    "FromDigits": "fuzz targets make numbers of any digits",
    "OnBackgroundError": "RocksDB calls it",
    "OnErrorRecoveryBegin": "RocksDB calls it",
    "OnErrorRecoveryEnd": "RocksDB calls it",
    "RemoveBackup": "tests of locks and damage remove one backup",
    "ParseKeyCondition": "fuzz targets and benchmarks parse without an operation",
}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LITERAL = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
DECLARED = (
    re.compile(r"\b(?:class|struct|union|enum(?: class)?|concept)\s+(?:\[\[\w+\]\]\s*)?(\w+)"),
    re.compile(r"\busing\s+(\w+)\s*="),
    re.compile(r"\busing\s+(?:\w+::)+(\w+)\s*;"),
    re.compile(r"#[ \t]*define\s+(\w+)"),
    re.compile(r"\b(k[A-Z]\w*)\b"),
    re.compile(r"\b([A-Za-z_]\w*)\s*\("),
    re.compile(r"\b(?:extern|inline|constexpr|const)\b[^;(){}=]*?\b(\w+)\s*(?:=|;|\{)"),
)
FUNCTION = re.compile(r"^[ \t]*(?:(?:static|virtual|inline|constexpr|explicit|friend|\[\[nodiscard\]\])\s+)*"
                      r"[\w:<>,&*\s\[\]()]*?[\w>&*]\s+[&*]*([A-Z]\w*)\s*\(", re.MULTILINE)


class Source:
    """The text of one file without comments, and what it includes."""

    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        text = COMMENT.sub(" ", path.read_text(encoding="utf-8"))
        self.includes = [(kind, target) for kind, target in INCLUDE.findall(text)]
        body = INCLUDE.sub("", text)
        self.code = LITERAL.sub('""', body)
        self.words = set(WORD.findall(self.code))

    def declared(self):
        names = set()
        for pattern in DECLARED:
            names |= set(pattern.findall(self.code))
        return names


def load(files):
    loaded = {}
    for path in files:
        if path.suffix in (".cc", ".h") and path.relative_to(ROOT).parts[0] in ("src", "tests", "bench"):
            loaded[path] = Source(path)
    return loaded


def resolve(source, target, loaded):
    """The file of ours that an include means; None for a library's."""
    for start in (ROOT / "src", ROOT / "tests", ROOT / "bench", source.path.parent):
        if (start / target) in loaded:
            return start / target
    return None


def is_own(source, header):
    """A file and the header of the same name are one thing, and so is its test."""
    stem = re.sub(r"_test$", "", source.path.stem)
    return header.stem == stem


def check_unused_includes(loaded, problems):
    declared = {path: source.declared() for path, source in loaded.items() if path.suffix == ".h"}
    for source in loaded.values():
        for kind, target in source.includes:
            if kind == "<":
                pattern = STANDARD.get(target)
                if pattern and not re.search(pattern, source.code):
                    problems.append(f"{source.name}: includes <{target}> and does not use it")
                continue
            header = resolve(source, target, loaded)
            # A header of tests is included for the tests in it.
            if header is None or "conformance" in header.name:
                continue
            if is_own(source, header) or not declared[header]:
                continue
            if not declared[header] & source.words:
                problems.append(f'{source.name}: includes "{target}" and does not use it')


def reachable(source, loaded, cache, active):
    """The standard headers that a file includes itself or through files of ours."""
    if source.path in cache:
        return cache[source.path]
    found = set()
    active.add(source.path)
    for kind, target in source.includes:
        if kind == "<":
            found.add(target)
            continue
        header = resolve(source, target, loaded)
        if header is not None and header not in active:
            found |= reachable(loaded[header], loaded, cache, active)
    active.discard(source.path)
    cache[source.path] = found
    return found


def check_missing_includes(loaded, problems):
    cache = {}
    for source in loaded.values():
        found = reachable(source, loaded, cache, set())
        # The headers of test and benchmark libraries have the whole library behind them.
        if any(header.startswith(("gtest/", "gmock/", "benchmark/")) for header in found):
            continue
        for header, pattern in STANDARD.items():
            if header in found or header in NOT_REQUIRED:
                continue
            if re.search(pattern, source.code):
                problems.append(f"{source.name}: uses <{header}> and does not include it")


def is_for_tests(name):
    """Whether a file is part of the tests, or made for them."""
    return (name.startswith("tests/") or "/faulty/" in name or "conformance" in name or
            name.endswith(("_test.cc", "_fixture.h", "_for_tests.h")))


def check_unused_declarations(loaded, problems):
    counts = {}
    for source in loaded.values():
        if is_for_tests(source.name):
            continue
        for word in WORD.findall(source.code):
            counts[word] = counts.get(word, 0) + 1
    for path, source in loaded.items():
        if path.suffix != ".h" or not source.name.startswith("src/") or is_for_tests(source.name):
            continue
        for name in sorted(set(FUNCTION.findall(source.code))):
            # A declaration and a definition are no use, nor is a definition in the header.
            places = counts.get(name, 0)
            body = re.search(rf"\b{name}\s*\([^;{{}}]*\)[^;{{}}]*\{{", source.code)
            if places <= (1 if body else 2) and name not in USED_BY_TESTS:
                problems.append(f"{source.name}: nothing but tests uses {name}")


def check(files, problems):
    loaded = load(files)
    check_unused_includes(loaded, problems)
    check_missing_includes(loaded, problems)
    check_unused_declarations(loaded, problems)
