"""Calls of loggers in Java and Scala, and the texts they print."""

from __future__ import annotations

import pytest
from isrproof.checker.drift.calls import Call, loggers_of, source_file
from isrproof.checker.drift.tokens import tokens

JAVA = (
    "package a.b;\nimport org.slf4j.Logger;\nclass Some {{\n  Logger log = LoggerFactory.getLogger(Some.class);\n"
    "  void m() {{\n    {}\n  }}\n}}\n"
)
SCALA = "package a.b\nclass Some extends Logging {{\n  def m(): Unit = {{\n    {}\n  }}\n}}\n"


def java(body: str) -> list[Call]:
    return list(source_file(JAVA.format(body), "Some.java", scala=False).calls)


def scala(body: str) -> list[Call]:
    return list(source_file(SCALA.format(body), "Some.scala", scala=True).calls)


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ('log.info("plain");', ["plain"]),
        ('log.info("a {} b {}", x, y);', ["a {} b {}"]),
        ('log.info("a " + x + " b" +\n "c");', ["a {} bc"]),
        ('log.info("a \\"quoted\\" text\\n");', ['a "quoted" text']),
        ('log.info(String.format("a %s of %,d, 100%%", x, y));', ["a {} of {}, 100%"]),
        ('log.info("a %s".formatted(x));', ["a {}"]),
        ('log.info("a {}" + (x ? "" : " more"), y);', ["a {}", "a {} more"]),
        ('log.info(x ? "one" : "two");', ["one", "two"]),
        ('String text = "a " + x; log.info(text);', ["a {}"]),
        ('log.info(MARKER, "behind a marker");', ["behind a marker"]),
        ('log.info("""\n      two\n      lines""");', ["two lines"]),
        ('log().info("by a method");', ["by a method"]),
        ('this.log.info("of this");', ["of this"]),
        ("log.info(x);", ["{}"]),
        ('other.info("no logger");', []),
        ('// log.info("in a comment");', []),
        ('/* log.info("in a comment"); */', []),
        ('String s = "log.info(";', []),
        ('char c = \'"\'; log.info("after a character");', ["after a character"]),
    ],
)
def test_texts_of_java(body: str, texts: list[str]) -> None:
    assert [call.template.shown for call in java(body)] == texts
    assert {(call.logger, call.level, call.line) for call in java(body)} <= {
        ("a.b.Some", "INFO", line) for line in (6, 7)
    }


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ('info("plain")', ["plain"]),
        ('info(s"a $x b ${y.z("}")} c")', ["a {} b {} c"]),
        ('info(s"a $$x")', ["a $x"]),
        ('info(f"a $x%.2f ms")', ["a {} ms"]),
        ('info("a %s b".format(x))', ["a {} b"]),
        ('info(s"a $x" +\n      s" b")', ["a {} b"]),
        ('info(s"""a $x\n      |b""".stripMargin)', ["a {} b"]),
        ('info(if (x) "one" else s"two $y")', ["one", "two {}"]),
        ('val text = s"a $x"\n    info(text)', ["a {}"]),
        ('logger.info("by name")', ["by name"]),
        ("def info(text: String): Unit = other", []),
        ('x.info("no logger")', []),
    ],
)
def test_texts_of_scala(body: str, texts: list[str]) -> None:
    assert [call.template.shown for call in scala(body)] == texts


@pytest.mark.parametrize(
    ("text", "logger"),
    [
        ('class A { Logger l = LoggerFactory.getLogger("by.name"); void m() { l.warn("text"); } }', "by.name"),
        (
            'class A { Logger l = LoggerFactory.getLogger(B.class); void m() { l.warn("text"); } static class B {} }',
            "p.A$B",
        ),
        ('import q.B; class A { Logger l = LoggerFactory.getLogger(B.class); void m() { l.warn("text"); } }', "q.B"),
        ('class A { A(LogContext c) { this.log = c.logger(getClass()); } void m() { log.warn("text"); } }', "p.A"),
        ('class A { class B { void m() { log.warn("text"); } } }', "p.A$B"),
        ('class A { void m() { stateChangeLogger.warn("text"); } }', "state.change.logger"),
        ('record R(int a) { void m() { LOG.warn("text"); } }', "p.R"),
    ],
)
def test_loggers_of_java(text: str, logger: str) -> None:
    (call,) = source_file(f"package p;\n{text}", "A.java", scala=False).calls
    assert (call.logger, call.level) == (logger, "WARN")


def test_a_logger_that_is_handed_over_is_said_to_be() -> None:
    text = 'package p; class A { void m(Logger log) { log.warn("text"); } }'
    (call,) = source_file(text, "A.java", scala=False).calls
    assert call.handed


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        ('"a {}", info(x)', ["a (x: {})"]),
        ('"a {}: {}", x, this.info(x)', ["a {}: (x: {})"]),
        ('"a {}", x, info(x)', ["a {}"]),
        ('"a " + info(x)', ["a (x: {})"]),
        ('"a {}", x.info(x)', ["a {}"]),
        ('"a {}", info(x).y()', ["a {}"]),
        ('"a {}", longer(x)', ["a {}"]),
    ],
)
def test_what_a_method_of_the_file_returns_is_part_of_the_message(message: str, texts: list[str]) -> None:
    methods = 'String info(X x) { return String.format("(x: %s)", x); } String longer(X x) { go(); return "b"; }'
    text = f"package p; class A {{ void m() {{ log.info({message}); }} {methods} }}"
    calls = source_file(text, "A.java", scala=False).calls
    assert [call.template.shown for call in calls] == texts
    assert not any(call.maybe for call in calls)


def test_of_methods_of_one_name_any_may_be_meant() -> None:
    methods = 'String info(X x) { return "one"; } String info(Y y) { return "two " + y; } abstract String info(Z z);'
    text = f'package p; class A {{ void m() {{ log.info("a {{}} {{}}", x, info(y)); }} {methods} }}'
    calls = source_file(text, "A.java", scala=False).calls
    assert [(call.template.shown, call.maybe) for call in calls] == [("a {} one", True), ("a {} two {}", True)]


def test_objects_and_what_is_in_them_have_the_names_of_the_compiler() -> None:
    text = 'package p\nobject A extends Logging {\n info("1")\n class B { info("2") }\n object C { info("3") }\n}\n'
    assert [call.logger for call in source_file(text, "A.scala", scala=True).calls] == ["p.A$", "p.A$B", "p.A$C$"]


def test_a_subclass_prints_what_it_inherits() -> None:
    (call,) = scala('info("text")')
    assert loggers_of(call, {"Some": ["a.Sub"], "Sub": ["a.Sub2", "a.Sub"]}) == ("a.b.Some", "a.Sub", "a.Sub2")
    (call,) = java('log.info("text");')
    assert loggers_of(call, {"Some": ["a.Sub"]}) == ("a.b.Some",)


@pytest.mark.parametrize(
    "text",
    ["(" * 5000, 'log.info("' + "(" * 3000, 's"${' * 500, '"""', "/*", "'", "log.info(", 'x ? "a" : ' * 2000, "class"],
)
@pytest.mark.parametrize("is_scala", [True, False])
def test_source_that_is_cut_or_absurd_is_read_to_its_end(text: str, is_scala: bool) -> None:
    source_file(f"package p; class A {{ void m() {{ log.info({text}", "A", scala=is_scala)
    assert all(token.at <= len(text) for token in tokens(text, scala=is_scala))
