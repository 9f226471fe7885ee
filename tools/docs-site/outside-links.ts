import { posix } from 'node:path';

interface Token {
  type: string;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
}

interface State {
  readonly tokens: readonly Token[];
  readonly env: { readonly relativePath?: string };
}

/** The part of markdown-it that is used. */
export interface MarkdownRules {
  readonly core: { readonly ruler: { push(name: string, rule: (state: State) => void): void } };
}

/**
 * The pages are read in the repository too, where they link to sources. The site has no sources: it shows the words of such a link, with
 * the path as its tooltip.
 */
export function unlinkOutside(markdown: MarkdownRules): void {
  markdown.core.ruler.push('links outside of docs', ({ tokens, env }) => {
    for (const token of tokens) unlinkIn(token.children ?? [], env.relativePath ?? '');
  });
}

function unlinkIn(tokens: readonly Token[], page: string): void {
  let isOutside = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const path = outsidePath(token.attrGet('href') ?? '', page);
      isOutside = path !== undefined;
      if (path !== undefined) replace(token, `<span title="${path} in the repository">`);
    } else if (token.type === 'link_close' && isOutside) {
      isOutside = false;
      replace(token, '</span>');
    }
  }
}

function replace(token: Token, html: string): void {
  token.type = 'html_inline';
  token.content = html;
}

/** The path in the repository that a page of `docs/` links to, where that is outside of `docs/`. */
export function outsidePath(href: string, page: string): string | undefined {
  if (/^[a-z]+:|^[#/]/.test(href)) return undefined;
  const path = posix.join('docs', posix.dirname(page), href.replace(/#.*$/, ''));
  return path.startsWith('docs/') ? undefined : path.replaceAll('"', '');
}
