import type { Program } from '@jackfield/testing';

/** What decides the next words: a language model in production, a script in a test. */
export type Model = (
  said: readonly string[],
) => Promise<{ readonly words: string; readonly isOver: boolean }>;

/** A voice agent without a stream: `<GetInput>` turns each sentence of the caller into text, the model answers it, `<Speak>` says the answer. */
export function receptionist(model: Model, url: (path: string) => string): Program {
  const said = new Map<string, string[]>();
  const turn = (words: string) =>
    `<Response>
      <GetInput action="${url('/said')}" inputType="speech" executionTimeout="20"><Speak>${words}</Speak></GetInput>
      <Speak>I heard nothing. Good bye.</Speak>
    </Response>`;
  return async ({ path, fields }) => {
    const call = fields.CallUUID ?? '';
    if (path === '/answer') return turn('Hello. What can I do for you?');
    const sentences = [...(said.get(call) ?? []), fields.Speech ?? ''];
    const { words, isOver } = await model(sentences);
    if (isOver) {
      said.delete(call);
      return `<Response><Speak>${words}</Speak></Response>`;
    }
    said.set(call, sentences);
    return turn(words);
  };
}
