// The editor of a problem's page: CodeMirror around a textarea's text. `make editor` builds it into one file.
//
// It stands in a shadow root: there CodeMirror's style sheets are adopted, which a policy without inline styles allows.
// The grammars are the small stream modes: the tables of the full parsers alone would take a third of the page's bytes.
import { defaultKeymap, history, historyKeymap, indentLess, insertTab } from "@codemirror/commands";
import {
  bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting,
} from "@codemirror/language";
import { cpp } from "@codemirror/legacy-modes/mode/clike";
import { python } from "@codemirror/legacy-modes/mode/python";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, gutterLineClass, GutterMarker, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, keymap, lineNumbers, WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const CUDA = /^(__\w+__|__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic\w+|cuda[A-Z]\w+)$/;
const cuda = {
  ...cpp,
  token: (stream, state) => {
    const kind = cpp.token(stream, state);
    return CUDA.test(stream.current()) ? "builtin" : kind;
  },
};
const GRAMMARS = { cuda: StreamLanguage.define(cuda), python: StreamLanguage.define(python) };
const grammar = (language) => (language === "cuda" ? GRAMMARS.cuda : GRAMMARS.python);

// The colours are those of the site's style sheet, in light and dark.
const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.string, tags.character], color: "var(--code-string)" },
  { tag: [tags.processingInstruction, tags.meta], color: "var(--code-macro)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.keyword, tags.modifier, tags.bool, tags.null, tags.self, tags.atom], color: "var(--code-keyword)" },
  { tag: tags.typeName, color: "var(--code-type)" },
  { tag: tags.standard(tags.variableName), color: "var(--code-function)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--sunken)", containerType: "inline-size" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": {
    font: '0.875rem/1.5 ui-monospace, "Cascadia Code", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--muted)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--surface)" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 18%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--accent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--bad)" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panels input, .cm-panels button": {
    color: "var(--text)", background: "var(--surface)", border: "1px solid var(--muted)", borderRadius: "4px",
  },
  ".marked-error": { backgroundColor: "var(--bad-back)" },
  ".marked-warning": { backgroundColor: "var(--warn-back)" },
  ".marked-note": { backgroundColor: "var(--note-back)" },
  ".cm-gutterElement.marked-error": { color: "var(--bad)", fontWeight: "700" },
  // No wider than what is seen of the editor, however long the text's longest line is.
  ".remark": {
    position: "sticky", left: "2.6rem", boxSizing: "border-box", maxWidth: "calc(100cqw - 3.6rem)",
    font: "0.8125rem/1.45 system-ui, sans-serif", padding: "0.15rem 0.75rem", whiteSpace: "pre-wrap",
    overflowWrap: "anywhere", borderLeft: "4px solid var(--muted)", backgroundColor: "var(--surface)",
  },
  ".remark.error": { borderColor: "var(--bad)", color: "var(--bad)" },
  ".remark.warning": { borderColor: "var(--warn)", color: "var(--warn)" },
});

class Remark extends WidgetType {
  constructor(severity, message) { super(); Object.assign(this, { severity, message }); }
  eq(other) { return other.severity === this.severity && other.message === this.message; }
  toDOM() {
    const box = document.createElement("div");
    box.className = `remark ${this.severity}`;
    box.textContent = this.message;
    return box;
  }
}

class Numbered extends GutterMarker {
  constructor(severity) { super(); this.elementClass = `marked-${severity}`; }
  eq(other) { return other.elementClass === this.elementClass; }
}

const remark = StateEffect.define();
// A remark stays at its line while the text around it changes, and goes when that line is changed.
const remarks = StateField.define({
  create: () => ({ lines: Decoration.none, numbers: Decoration.none }),
  update: ({ lines, numbers }, change) => {
    for (const effect of change.effects) if (effect.is(remark)) return drawn(change.state.doc, effect.value);
    if (!change.docChanged) return { lines, numbers };
    const touched = new Set();
    change.changes.iterChanges((from, to) => {
      for (let at = change.startState.doc.lineAt(from); ; at = change.startState.doc.lineAt(at.to + 1)) {
        touched.add(at.from);
        if (at.to >= to) break;
      }
    });
    const start = (at) => change.startState.doc.lineAt(at).from;
    const kept = { filter: (from) => !touched.has(start(from)) };
    return { lines: lines.update(kept).map(change.changes), numbers: numbers.update(kept).map(change.changes) };
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ lines }) => lines),
    gutterLineClass.from(field, ({ numbers }) => numbers),
  ],
});

const drawn = (doc, marks) => {
  const lines = [], numbers = [];
  for (const { line, severity, message } of marks) {
    if (!(line >= 1 && line <= doc.lines)) continue;
    const { from, to } = doc.line(line);
    lines.push(Decoration.line({ class: `marked-${severity}` }).range(from));
    lines.push(Decoration.widget({ widget: new Remark(severity, message), block: true, side: 1 }).range(to));
    numbers.push(new Numbered(severity).range(from));
  }
  return { lines: Decoration.set(lines, true), numbers: Decoration.set(numbers, true) };
};

/// Opens an editor inside `host`. `actions` has `change()`, `submit()` and `run()`.
export const open = (host, text, language, label, description, actions) => {
  const root = host.attachShadow({ mode: "open" });
  const spoken = new Compartment();
  // After Escape, Tab leaves the editor until something else is typed.
  let leaving = false;
  const unlessLeaving = (indent) => (view) => !leaving && indent(view);
  const bound = (action) => () => { action(); return true; };
  const keys = [
    { key: "Mod-Enter", run: bound(actions.submit) },
    { key: "Mod-'", run: bound(actions.run) },
    { key: "Tab", run: unlessLeaving(insertSpaces), shift: unlessLeaving(indentLess) },
  ];
  const view = new EditorView({
    parent: root,
    root,
    doc: text,
    extensions: [
      Prec.high(keymap.of(keys)),
      EditorView.domEventHandlers({
        keydown: (event) => { if (event.key !== "Tab" && event.key !== "Shift") leaving = event.key === "Escape"; },
        blur: () => { leaving = false; },
        // Chromium would keep the look of what is replaced by an inline style, which the page's policy forbids and logs.
        beforeinput: (event, own) => {
          const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = root.getSelection?.() ?? getSelection();
          if (event.inputType !== "insertText" || !event.data || isCollapsed || own.composing) return false;
          if (!own.contentDOM.contains(anchorNode) || !own.contentDOM.contains(focusNode)) return false;
          const ends = [own.posAtDOM(anchorNode, anchorOffset), own.posAtDOM(focusNode, focusOffset)];
          const from = Math.min(...ends), to = Math.max(...ends);
          const insert = own.state.toText(event.data), anchor = from + insert.length;
          own.dispatch({
            changes: { from, to, insert }, selection: { anchor }, userEvent: "input.type", scrollIntoView: true,
          });
          event.preventDefault();
          return true;
        },
      }),
      remarks, lineNumbers(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(),
      highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: true }),
      indentUnit.of("    "), EditorState.tabSize.of(4), syntaxHighlighting(colours), look,
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      spoken.of(grammar(language)),
      EditorView.contentAttributes.of({
        "aria-label": label, "aria-description": description, tabindex: "0", spellcheck: "false", autocapitalize: "none",
      }),
      EditorView.updateListener.of((update) => { if (update.docChanged) actions.change(); }),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    /// Replaces the whole text, which can be undone.
    replace: (other) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } }),
    speak: (name) => view.dispatch({ effects: spoken.reconfigure(grammar(name)) }),
    /// Shows a remark below each line of `marks`, which have `line` from 1, `severity` and `message`.
    mark: (marks) => view.dispatch({ effects: remark.of(marks) }),
    show: (line) => {
      const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines)).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
  };
};

/// Indents the selected lines, or inserts spaces up to the next stop.
const insertSpaces = (view) => {
  const { state } = view, { main } = state.selection;
  if (!main.empty) return insertTab(view);
  const line = state.doc.lineAt(main.head);
  view.dispatch(state.replaceSelection(" ".repeat(4 - ((main.head - line.from) % 4))), { scrollIntoView: true });
  return true;
};
