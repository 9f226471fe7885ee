const inline = /<script\b(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g;

export interface InlineScripts {
  /** Name of the file beside the pages. */
  readonly file: string;
  add(script: string): void;
  text(): string;
}

/** The scripts that pages have inside, collected into one file: the policy of the server runs scripts of files alone. */
export function inlineScripts(): InlineScripts {
  const all = new Set<string>();
  return {
    file: 'before-paint.js',
    add: (script) => void all.add(script.trim().replace(/;?$/, ';')),
    text: () => `${[...all].sort().join('\n')}\n`,
  };
}

/** Puts the file in the slot of the first script that a page has inside, and removes the others. */
export function headOutsideScripts(html: string, scripts: InlineScripts, servedAt: string): string {
  let isFirst = true;
  return html.replace(inline, (_, attributes: string, script: string) => {
    if (/type="(?!module|text\/javascript)/.test(attributes)) {
      throw new Error(`a page has a script inside with${attributes}`);
    }
    scripts.add(script);
    const file = isFirst ? `<script src="${servedAt}${scripts.file}"></script>` : '';
    isFirst = false;
    return file;
  });
}
