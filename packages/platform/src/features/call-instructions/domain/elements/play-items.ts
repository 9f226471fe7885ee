import type { PlayItem } from '../../../sounds/index.ts';
import type { Prompt } from '../instruction.ts';

export const beepItem: PlayItem = { kind: 'built-in', sound: { kind: 'beep', count: 1 } };

/** A prompt in the form of the sounds feature; `loop` 0 repeats for ever in both. */
export function itemOfPrompt(prompt: Prompt): PlayItem {
  return prompt.element === 'Play'
    ? { kind: 'file', url: prompt.url, loop: prompt.loop }
    : {
        kind: 'speech',
        text: prompt.text,
        ...(prompt.markup === undefined ? {} : { markup: prompt.markup }),
        language: prompt.language,
        voice: prompt.voice,
        loop: prompt.loop,
      };
}
