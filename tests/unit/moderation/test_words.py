"""Words are found however they are written, and nothing else is."""

import pytest

from bot.features.moderation.policy import split_words
from bot.features.moderation.watched_words import Matcher, fold, readings, word_key
from bot.visible import search_key


def found_in(text: str, *words: str) -> str:
    return Matcher(words).find(text)


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("cat", ["a cat sat", "CAT!", "(cat)", "the\ncat"]),
        ("cat*", ["catch", "Catapult", "a cat"]),
        ("*cat", ["wildcat", "copyCat.", "cat"]),
        ("*cat*", ["location", "eduCation", "cat"]),
        ("bad  word", ["a bad word", "bad\n word", "BAD WORD"]),
        ("bad word*", ["bad words", "a bad word"]),
        ("*bad word", ["a goodbad word!", "bad word"]),
        ("*d wo*", ["bad words"]),
        ("b a d", ["so b a d!", "B\na d"]),
        ("don't", ["Don't!", "I don't"]),
        ("*idiot", ["l'idiot", "espèce d’idiot"]),
        ("c++", ["c++", "c++x"]),
        ("Straße", ["STRASSE", "strasse"]),
        ("$$$", ["a$$$b", "$$$"]),
        ("*", []),
    ],
)
def test_a_word_is_found_whole_or_as_its_wildcards_say(word: str, texts: list[str]) -> None:
    assert [text for text in texts if not found_in(text, word)] == []


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("cat", "catch"),
        ("cat", "wildcat"),
        ("cat*", "wildcat"),
        ("bad word", "bad words"),
        ("bad word", "bad, word"),
        ("*bad word", "bad words"),
        ("bad", "b a d"),
        ("c++", "abc++"),
        ("don't", "don t"),
        ("*cat", "catch"),
        ("bum", "burn"),
        ("hell", "He'll be there"),
        ("hell", "He’ll be there"),
        ("he", "He'll be there"),
        ("ll", "I'll wait"),
        ("cant", "I can't"),
        ("can", "I canʼt"),
        ("fool", "foolish—indeed"),
        ("fool", "tomfool™ish"),
        ("ass", "ⓒⓛⓐⓢⓢ"),
        ("*ass*", "was sad"),
    ],
)
def test_what_only_holds_the_letters_is_no_hit(word: str, text: str) -> None:
    assert not found_in(text, word)


@pytest.mark.parametrize(
    "text",
    [
        "idiot",
        "IDIOT",
        "ｉｄｉｏｔ",
        "𝓲𝓭𝓲𝓸𝓽",
        "ídìöṫ",
        "i\u0336d\u0336i\u0336o\u0336t",
        "i\u200bd\u00adi\u2060o\ufe0ft",
        # Cyrillic and Greek letters, big ones among them.
        "іԁіоt",
        "ІdІОТ",
        "ιdιοт",
        "ⓘⓓⓘⓞⓣ",
        "a\u2800idiot",
        # As Discord's own emojis, in boxes, and in small capitals.
        "🇮🇩🇮🇴🇹",
        "🅸🅳🅸🅾🅃",
        "i🅓iot",
        "ɪᴅɪᴏᴛ",
        # A flag is no letter of a word before it.
        "idiot🇩🇪",
    ],
)
def test_no_disguise_hides_a_word(text: str) -> None:
    assert found_in(f"You {text}!", "idiot") == "idiot"


@pytest.mark.parametrize(
    "text",
    [
        "You fool—go home",
        "go—fool",
        "||fool||",
        "|fool|x",
        "fool|",
        "fool%",
        "%fool",
        "fool™",
        "fool×2",
        "2×fool",
        "fool€",
        "_fool_",
        "__fool__",
        "a_fool_b",
        "`fool`s",
        "~~fool~~s",
        "fool²",
        "fool½",
        "fool∞you",
        "‖fool‖",
        "fool\u2060|go",
        "ʼfoolʼ",
        "'fool'",
        "the fools' fool",
        "fo0l—fоol—",
        "f๐ol、fool。",
        "これはfoolです",
        "♪fool♪x",
        "x㊙fool㊙x",
        "⼈fool㋡x",
        "1\ufe0f\u20e3fool2\u20e3",
    ],
)
def test_a_word_is_found_whatever_sign_stands_beside_it(text: str) -> None:
    assert found_in(text, "fool") == "fool"


@pytest.mark.parametrize(
    "text", ["ki||", "you kil|!", "ki||—them", "k∣l|", "ki|l%", "—kiII—", "k1\u20e31\u20e31\u20e3"]
)
def test_a_sign_in_place_of_a_letter_is_still_read_as_one(text: str) -> None:
    assert found_in(text, "kill", "kll") in {"kill", "kll"}


def test_a_big_i_is_read_as_a_small_l_too() -> None:
    assert readings("kiII") == ("kiii", "kill", "kiii")
    assert found_in("kiII them", "kill")
    assert found_in("IDIOT", "idiot")


def test_words_that_look_alike_are_one() -> None:
    assert word_key("*ÄRGER ") == word_key("*аrger") == "*arger"
    assert word_key("\u200b") == word_key("**") == word_key("a*b") == word_key("*a*b*") == ""


def test_a_list_of_any_size_is_run_in_time_that_grows_with_the_text() -> None:
    # Poison for a matcher that goes back to try again.
    words = [f"*{'a' * 40}{number:03}*" for number in range(999)]

    assert found_in("a" * 20_000 + " needle", *words, "*needle*") == "*needle*"


def test_words_stand_on_lines_or_between_commas_of_any_script() -> None:
    assert split_words("fool, bad  word\nばか、あほ，笨蛋") == [
        "fool",
        "bad word",
        "ばか",
        "あほ",
        "笨蛋",
    ]


def test_letters_of_other_scripts_stay_words() -> None:
    assert found_in("это плохо", "плохо")
    assert not found_in("это неплохо", "плохо")
    assert found_in("これはテストです", "テスト")
    assert found_in("你是笨蛋吗", "笨蛋")
    assert found_in("นี่คนโง่มาก", "โง่")
    assert found_in("ဒါလူမိုက်ပါ", "လူမိုက်")
    # A vowel that is written beside a letter goes on with its word.
    assert found_in("एक कम है", "कम")
    assert not found_in("कमी", "कम")
    assert not found_in("काम", "म")
    assert fold("abc 123") == "abc l23"


# Words of which a mark makes another word.
OTHER_WORDS = [
    "ばば はは",
    "パパ ハハ",
    "ぱぱ ばば",
    "がき かき",
    "バス ハス",
    "ヴ ウ",
    "कल कुल",
    "मल मूल",
    "कम कमी",
    "ज़रा जरा",
    "কল কুল",
    "ਕਲ ਕੁਲ",
    "கல் கல",
    "కల కుల",
    "ผี ผู้",
    "ปา ป้า",
    "ກາ ກ້າ",
    "កា កុ",
    "ကာ ကု",
    "мои мой",
    "їж іж",
    "ўсё усё",
    "ќе ке",
    "ѓ г",
    "ӣ и",
]
# Words that are one, written in two ways.
SAME_WORDS = [
    "ёж еж",
    "Ёж ёж",
    "ЙОД йод",
    "и\u0306од йод",
    "İZMİR izmir",
    "Işık isik",
    "ﾊﾞﾊﾞ ババ",
    "ﾊﾟﾊﾟ パパ",
    "は\u3099は\u3099 ばば",
    "STRASSE straße",
    "ΣΟΦΟΣ σοφός",
    "Ärger arger",
    "naïve naive",
    "Tiếng tieng",
    "مُحَمَّد محمد",
    "أحمد احمد",
    "שָׁלוֹם שלום",
    "i\u0336d\u0336 id",
    "б\u0336а\u0337д\u0338 бад",
    "ば\u0336か\u0335 ばか",
    "क\u0338ल\u0334 कल",
    "ผ\u0336ี ผี",
    "м\u20dd м",
    "c\u0e31at cat",
    "❤\ufe0f ❤",
]


@pytest.mark.parametrize("pair", OTHER_WORDS)
def test_a_mark_that_is_a_letter_makes_another_word(pair: str) -> None:
    one, other = pair.split()
    for word, text in ((one, other), (other, one)):
        assert found_in(f"x {word} x", word) == word
        assert not found_in(f"x {text} x", word)
        assert word_key(word) != word_key(text)
        assert search_key(word) != search_key(text)


@pytest.mark.parametrize("pair", SAME_WORDS)
def test_a_mark_that_is_no_letter_makes_no_other_word(pair: str) -> None:
    one, other = pair.split()
    assert found_in(f"x {one} x", other) == other
    assert found_in(f"x {other} x", one) == one
    assert word_key(one) == word_key(other)
    assert search_key(one) == search_key(other)


@pytest.mark.parametrize(
    "digits",
    [
        "1250",
        "\u0661\u0662\u0665\u0660",
        "\u06f1\u06f2\u06f5\u06f0",
        "\u0967\u0968\u096b\u0966",
        "\u09e7\u09e8\u09eb\u09e6",
        "\uff11\uff12\uff15\uff10",
        "\U0001d7cf\U0001d7d0\U0001d7d3\U0001d7ce",
    ],
)
def test_digits_of_every_script_are_digits(digits: str) -> None:
    assert found_in(f"for {digits} acorns", "1250") == "1250"
    assert found_in("for 1250 acorns", digits) == digits
    assert search_key(digits) == "1250"


def test_a_letter_with_a_mark_is_no_beginning_of_a_word() -> None:
    assert not found_in("バス", "ハ*")
    assert not found_in("мойка", "мои*")
    assert found_in("мойка", "мой*")
    assert not found_in("कुल", "कु")
    assert found_in("कुल", "कु*")
    # Katakana and Hiragana that look alike do so with their marks, too.
    assert found_in("ベッド", "べッド")


def test_many_marks_in_a_row_are_folded_like_a_few() -> None:
    # Which are put in order, in the square of their number, by Unicode's own way.
    marks = "\u0301\u0323" * 100_000
    assert fold(marks) == ""
    assert found_in(f"{marks} cat", "cat") == "cat"


@pytest.mark.parametrize("before", range(250, 262))
def test_a_word_is_found_wherever_a_long_text_is_parted(before: int) -> None:
    # In Korean, a syllable is put together of two or three letters.
    for word, text in (("é", "e\u0301"), ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8")):
        assert found_in("x" * before + " " + text, word) == word
