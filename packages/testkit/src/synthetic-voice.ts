const rate = 8000;

/** A voice of 120 Hz with harmonics, four syllables a second, and silence behind it: what a phone says, mono at 8 kHz. */
export function syntheticVoice(ms: number, silentMs = 0): Int16Array {
  const spoken = (ms * rate) / 1000;
  return Int16Array.from({ length: spoken + (silentMs * rate) / 1000 }, (_, n) => {
    if (n >= spoken) return 0;
    const seconds = n / rate;
    let wave = 0;
    for (let k = 1; k <= 20; k++) wave += Math.sin(2 * Math.PI * 120 * k * seconds + k * k) / (1 + k / 4);
    return Math.round(3000 * wave * Math.max(0.05, Math.sin(2 * Math.PI * 4 * seconds)));
  });
}

/** The beep of an answering machine: 400 ms of 1000 Hz, and silence behind it. */
export function machineBeep(silentMs = 0): Int16Array {
  return Int16Array.from({ length: ((400 + silentMs) * rate) / 1000 }, (_, n) =>
    n < 0.4 * rate ? Math.round(8000 * Math.sin((2 * Math.PI * 1000 * n) / rate)) : 0,
  );
}
