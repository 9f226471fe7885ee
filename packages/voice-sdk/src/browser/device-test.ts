/** Reports the level of a stream, 0 to 1, ten times a second; the returned function ends that. */
export function watchLevel(stream: MediaStream, listener: (level: number) => void): () => void {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    listener(Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length));
  }, 100);
  return () => {
    clearInterval(timer);
    void context.close();
  };
}

/** A tone of one second. */
export function openTone(): { readonly stream: MediaStream; readonly ended: Promise<void> } {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const out = context.createMediaStreamDestination();
  tone.connect(out);
  tone.start();
  const ended = new Promise((resolve) => setTimeout(resolve, 1000)).then(() => context.close());
  return { stream: out.stream, ended };
}

/** A sound that repeats, as a stream; its context ends with the track. */
export async function soundOf(url: string): Promise<MediaStream> {
  const context = new AudioContext();
  const source = context.createBufferSource();
  source.buffer = await context.decodeAudioData(await (await fetch(url)).arrayBuffer());
  source.loop = true;
  const out = context.createMediaStreamDestination();
  source.connect(out);
  source.start();
  const [track] = out.stream.getAudioTracks();
  const stop = track?.stop.bind(track);
  if (track) {
    track.stop = () => {
      stop?.();
      void context.close();
    };
  }
  return out.stream;
}
