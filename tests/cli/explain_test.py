"""`ddlsim explain`: the entries of docs/glossary.md."""

import json

from program import SOURCE, Case, main, run


class Explain(Case):
    def said(self, *words):
        result = run("explain", *words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        return result.stdout

    def entry(self, *words):
        text = self.said(*words)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        return text

    def json(self, *words):
        return json.loads(self.said(*words, "--json"))

    def glossary(self, content):
        file = self.folder / "docs" / "glossary.md"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        return file

    def test_an_entry_has_the_term_the_text_and_other_spellings(self):
        self.glossary(b"**global batch** (also: all samples, global_batch): " + b"Samples of [GPUs](a.md#b), `n`. " * 3)
        self.assertEqual(self.entry("global", "batch", "--data", self.folder),
                         "global batch\n"
                         "  Samples of GPUs, `n`. Samples of GPUs, `n`. Samples of GPUs, `n`.\n"
                         "  Also: all samples, global_batch\n")

    def test_a_term_is_found_in_any_spelling(self):
        expected = self.entry("global batch")
        self.assertTrue(expected.startswith("global batch\n  Samples that all GPUs"), expected)
        for words in (("global", "batch"), ("Global-Batch",), ("global_batch",), ("samples", "of", "an", "iteration")):
            self.assertEqual(self.entry(*words), expected)
        self.assertTrue(self.entry("+", "exposed").startswith("exposed communication\n"))

    def test_a_term_may_be_the_name_of_a_command(self):
        self.assertTrue(self.entry("plan").startswith("plan\n"))
        self.assertTrue(self.entry("calibrate").startswith("calibration\n"))

    def test_all_terms_by_letter(self):
        listed = self.entry()
        self.assertRegex(listed, r"\A\d+ terms; `ddlsim explain TERM` explains one\.\n\n")
        letters = [line[0] for line in listed.splitlines()[2:] if line[0] != " "]
        self.assertEqual(letters, sorted(set(letters)))
        self.assertRegex(listed, r"\nM  mean error +measured")

    def test_json_has_the_entry_or_all(self):
        every = self.json()
        self.assertEqual((every["format"], every["version"]), ("ddlsim-glossary", 1))
        batch = self.json("global", "batch")["entries"]
        self.assertEqual([entry["term"] for entry in batch], ["global batch"])
        self.assertIn(batch[0], every["entries"])
        self.assertEqual(len(every["entries"]), (SOURCE / "docs" / "glossary.md").read_text().count("\n\n**"))

    def test_an_unknown_term_is_wrong_use(self):
        for form in ((), ("--json",)):
            result = run("explain", "globl", "batch", *form)
            self.refused(result, 2, 'no term is called "globl batch"; did you mean global batch? `ddlsim explain` shows all ')
            self.assertEqual(len(result.stderr.splitlines()), 1)
        self.refused(run("explain", "\x1b[31m" + "x" * 100_000), 2, r'no term is called "\u001b[31mxxx')
        self.refused(run("explain", ""), 2, 'no term is called ""')

    def test_a_glossary_of_others(self):
        self.refused(run("explain", "batch", "--data", self.folder), 1, str(self.folder / "docs" / "glossary.md"))
        self.glossary(b"**batch**: text\n\n****: none\n")
        self.refused(run("explain", "batch", "--data", self.folder), 1, "glossary.md:3: ")
        self.glossary(b"**batch**: \x1b[31m text\n")
        self.assertEqual(self.entry("batch", "--data", self.folder), "batch\n  ?[31m text\n")
        self.glossary(b"**batch**: \x1b[31m\xff text\n")
        (read,) = self.json("batch", "--data", self.folder)["entries"]
        self.assertEqual(read["text"], "\x1b[31m\ufffd text")


if __name__ == "__main__":
    main()
