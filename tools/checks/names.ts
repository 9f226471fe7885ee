import { isTypeScript, lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { maskOf } from './masked-text.ts';

const vague =
  /^(managers?|services?|helpers?|utils?|utilit(y|ies)|commons?|bases?|handlers?|processors?|misc)$/;
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const declared =
  /(?<![.\w$])export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|const|let|var|class|interface|type)\s+(?<name>[A-Za-z_$][\w$]*)/g;
const listed = /(?<![.\w$])export\s+(?:type\s+)?\{(?<names>[^}]*)\}/g;

/** Files are named in kebab-case after what they export, with the field's words and none that fits everything. */
export const names: SourceCheck = {
  name: 'names',
  find: (files) => files.filter(isTypeScript).flatMap((file) => [...inPath(file), ...inExports(file)]),
};

function inPath(file: SourceFile): readonly Violation[] {
  return file.path.split('/').flatMap((segment) => {
    const violations: Violation[] = [];
    const at = { path: file.path, line: 1 };
    const parts = segment.split('.').filter((part) => part !== '');
    if (parts.some((part) => !kebab.test(part))) {
      violations.push({ ...at, sentence: `'${segment}': files and folders are named in kebab-case` });
    }
    const found = segment.split(/[-.]/).find((each) => vague.test(each));
    if (found !== undefined) violations.push({ ...at, sentence: says(segment, found) });
    return violations;
  });
}

function inExports(file: SourceFile): readonly Violation[] {
  const { code } = maskOf(file);
  const exported: { name: string; at: number }[] = [];
  for (const match of code.matchAll(declared)) exported.push({ name: match.groups!.name!, at: match.index });
  for (const match of code.matchAll(listed)) {
    for (const each of match.groups!.names!.split(',')) {
      const name = each.trim().split(/\s+/).at(-1);
      if (name !== undefined && name !== '') exported.push({ name, at: match.index });
    }
  }
  return exported.flatMap(({ name, at }) => {
    const found = wordsOf(name).find((each) => vague.test(each));
    if (found === undefined) return [];
    return [{ path: file.path, line: lineAt(file.text, at), sentence: says(name, found) }];
  });
}

/** `RTPPacketHandler` → rtp, packet, handler. */
function wordsOf(identifier: string): readonly string[] {
  return identifier
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_$]+/);
}

function says(name: string, found: string): string {
  return `'${name}': '${found}' says nothing; use the field's word (leg, dialog, binding, mix, …) or a verb`;
}
