import { createRequire } from 'node:module';
import treeSitter, { type Node } from '@vscode/tree-sitter-wasm';

const { Language, Parser } = treeSitter;

/** A grammar of a language whose compiler CI does not have. It accepts a program that is a part of a method as well. */
export interface Grammar {
  /** The line of the first mistake, from 1 on; undefined without one. */
  mistakeIn(text: string): number | undefined;
}

export async function openGrammar(name: 'java' | 'c-sharp'): Promise<Grammar> {
  await Parser.init();
  const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`;
  const parser = new Parser();
  parser.setLanguage(await Language.load(createRequire(import.meta.url).resolve(file)));
  return {
    mistakeIn(text) {
      const row = firstMistake(parser.parse(text)!.rootNode)?.startPosition.row;
      return row === undefined ? undefined : row + 1;
    },
  };
}

/** Within an error the parser goes on: its parts may be sound. */
function firstMistake(node: Node): Node | undefined {
  if (node.isError || node.isMissing) return node;
  if (!node.hasError) return undefined;
  for (const child of node.children) {
    const found = child === null ? undefined : firstMistake(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
