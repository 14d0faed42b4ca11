// A button on every block of code that copies what one types: of a session in Python or a shell the lines after a prompt.
"use strict";

const PROMPTS = { python: /^(>>> ?|\.\.\.( |$))/, shell: /^\$ / };

function typed(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  const prompt = lines[0].startsWith(">>>") ? PROMPTS.python : lines[0].startsWith("$ ") ? PROMPTS.shell : null;
  if (prompt === null) return text;
  return lines.filter((line) => prompt.test(line)).map((line) => line.replace(prompt, "")).join("\n");
}

function addButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-code";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(typed(block.querySelector("pre").textContent));
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.append(button);
}

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.highlight").forEach(addButton));
