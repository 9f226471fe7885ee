/** The talking phone repeats these. Short sentences with pauses between them sound like a person on a line. */
export const sentences: readonly string[] = [
  'Hello, this is the talking phone of your sandbox.',
  'You hear me through a real SIP call and real R T P.',
  'If you can understand this sentence, the mix works.',
  'I have nothing important to say, but I say it clearly.',
  'One, two, three, four, five, six, seven, eight, nine, ten.',
  'The quick brown fox jumps over the lazy dog.',
  'Thank you for listening. I start again from the beginning.',
];

/** The greeting of the voicemail, before its beep. */
export const greeting = 'This is the voicemail of your sandbox. Please leave a message after the tone.';
