import { lineAt, type SourceCheck } from './check-result.ts';

const raw = /\{@html\b/g;

/** The console shows what customers control: names, headers, messages, documents. As text it can never become a script. */
export const rawMarkup: SourceCheck = {
  name: 'raw markup',
  find: (files) =>
    files
      .filter(({ path }) => path.endsWith('.svelte'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(raw)].map((match) => ({
          path,
          line: lineAt(text, match.index),
          sentence: '{@html} makes markup of a text: write {text}, which is always shown as text',
        })),
      ),
};
