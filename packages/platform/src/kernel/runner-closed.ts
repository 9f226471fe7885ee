/** Only the last requests to a process that another one has ended find the runner closed: they are refused like its writes. */
export class RunnerClosedError extends Error {
  readonly code = 'incarnation-ended';

  constructor() {
    super('the session runner is closed');
    this.name = 'RunnerClosedError';
  }
}
