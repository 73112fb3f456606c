/** A grid of cells that are built once; arrow keys move in it, and one cell of it is a tab stop. */
class Grid {
  constructor(label, pick) {
    this.pick = pick;
    this.table = make("div", { className: "cells", role: "grid", "aria-label": label });
    this.box = make("div", { className: "wide" }, this.table);
    this.cells = [];
    this.at = [0, 0];
    this.table.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["click", "focusin", "pointerover"]) {
      this.table.addEventListener(kind, (event) => {
        const cell = event.target.closest("[role=gridcell]");
        if (!cell) return;
        if (kind !== "pointerover") this.stop(...cell.place);
        this.pick(...cell.place, kind);
      });
    }
  }

  size(rows, columns) {
    if (this.cells.length === rows && this.cells[0]?.length === columns) return;
    this.cells = Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => {
      const cell = make("span", { role: "gridcell", tabIndex: -1 });
      cell.place = [row, column];
      return cell;
    }));
    this.names = this.cells.map(() => make("span", { role: "rowheader" }));
    const rowsMade = this.cells.map((row, at) => make("div", { role: "row" }, this.names[at], ...row));
    this.table.replaceChildren(...rowsMade);
    this.stop(Math.min(this.at[0], rows - 1), Math.min(this.at[1], columns - 1));
  }

  stop(row, column) {
    if (this.cells[this.at[0]]?.[this.at[1]]) this.cells[this.at[0]][this.at[1]].tabIndex = -1;
    this.at = [row, column];
    this.cells[row][column].tabIndex = 0;
  }

  set(row, column, { text = "", label, kind = "", hue = null, selected = false }) {
    const cell = this.cells[row][column];
    if (cell.textContent !== text) cell.textContent = text;
    if (cell.title !== label) {
      cell.title = label;
      cell.setAttribute("aria-label", label);
    }
    cell.className = kind;
    cell.setAttribute("aria-selected", selected);
    if (hue === null) cell.style.removeProperty("--hue"); else cell.style.setProperty("--hue", hue);
  }

  key(event) {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.cells[this.at[0] + move[0]]?.[this.at[1] + move[1]]?.focus();
  }
}
