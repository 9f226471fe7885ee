/** Voice and language of words. */
interface Spoken {
  readonly language: string;
  readonly gender: string;
}

const genderOf = { woman: 'female', man: 'male' } as const;

/**
 * Completes every `<voice>` of checked markup: without a gender espeak-ng speaks with its own voice, a man's, and without a language in English. An
 * element inherits what it does not name from the words around it, and also inherits the language when the engine lacks the named one.
 */
export function nestedVoices(
  markup: string,
  around: { readonly language: string; readonly voice: 'woman' | 'man' },
  hasLanguage: (tag: string) => boolean,
): string {
  const open: Spoken[] = [{ language: around.language, gender: genderOf[around.voice] }];
  return markup.replace(/<(\/?)voice([^<>]*)>/g, (_, close: string, attributes: string) => {
    if (close !== '') {
      if (open.length > 1) open.pop();
      return '</voice>';
    }
    const outer = open.at(-1)!;
    const tag = readAttribute('xml:lang', attributes);
    const language = tag !== undefined && hasLanguage(tag) ? tag : outer.language;
    const gender = readAttribute('gender', attributes) ?? outer.gender;
    open.push({ language, gender });
    return `<voice xml:lang="${language}" gender="${gender}">`;
  });
}

function readAttribute(name: string, attributes: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
}
