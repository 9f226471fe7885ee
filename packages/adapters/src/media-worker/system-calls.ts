/** The few system calls of Linux that carry media; each is one call into libc, and a negative result is an error. */
export interface SystemCalls {
  socket(domain: number, type: number, protocol: number): number;
  bind(fd: number, address: Uint8Array, length: number): number;
  close(fd: number): number;
  setSocketOption(fd: number, level: number, option: number, value: Uint8Array, length: number): number;
  readSocketOption(fd: number, level: number, option: number, value: Uint8Array, length: Uint8Array): number;
  /** Fills in the address that the socket is bound to, and its length. */
  socketName(fd: number, address: Uint8Array, length: Uint8Array): number;
  clockGetTime(clock: number, into: Uint8Array): number;
  sendto(
    fd: number,
    bytes: Uint8Array,
    length: number,
    flags: number,
    address: Uint8Array,
    addressLength: number,
  ): number;
  recvmmsg(fd: number, messages: unknown, count: number, flags: number, timeout: null): number;
  sendmmsg(fd: number, messages: unknown, count: number, flags: number): number;
  epollCreate(flags: number): number;
  epollControl(epoll: number, operation: number, fd: number, event: Uint8Array): number;
  epollWait(epoll: number, events: Uint8Array, most: number, timeoutMs: number): number;
  /** Blocks until one of the descriptors is ready or the time (a timespec) is over; returns the number that are ready. */
  ppoll(descriptors: Uint8Array, count: number, timeout: Uint8Array, signals: null): number;
  /** The number of the calling thread. */
  threadId(): number;
  setScheduler(thread: number, policy: number, parameters: Uint8Array): number;
  setPriority(which: number, who: number, nice: number): number;
  /** The epoll descriptor of this thread's event loop; negative where it is not known. */
  eventLoopDescriptor(): number;
  /** Where the array lies, which must be kept for as long as the address is used. */
  addressOf(bytes: Uint8Array): bigint;
  /** Memory outside the heap with a fixed address: the pointer for calls, a view, and the address as a number. */
  allocate(bytes: number): { readonly pointer: unknown; readonly view: DataView; readonly address: bigint };
}

/** send(2): fail rather than wait. */
export const MSG_DONTWAIT = 0x40;
/** socket(7). */
export const SOL_SOCKET = 1;
export const SO_TIMESTAMPNS = 35;

let loaded: Promise<SystemCalls | undefined> | undefined;

/**
 * The system calls through koffi, loaded once in a thread; undefined where koffi or libc is missing, and on any system but 64-bit
 * little-endian Linux, whose structures are laid out in the files that use them.
 */
export function loadSystemCalls(): Promise<SystemCalls | undefined> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<SystemCalls | undefined> {
  if (process.platform !== 'linux' || (process.arch !== 'x64' && process.arch !== 'arm64')) return undefined;
  try {
    const { default: koffi } = await import('koffi');
    const libc = koffi.load('libc.so.6');
    return {
      socket: libc.func('int socket(int, int, int)'),
      bind: libc.func('int bind(int, void *, uint32_t)'),
      close: libc.func('int close(int)'),
      setSocketOption: libc.func('int setsockopt(int, int, int, void *, uint32_t)'),
      readSocketOption: libc.func('int getsockopt(int, int, int, void *, void *)'),
      socketName: libc.func('int getsockname(int, void *, void *)'),
      clockGetTime: libc.func('int clock_gettime(int, void *)'),
      sendto: libc.func('long sendto(int, void *, size_t, int, void *, uint32_t)'),
      recvmmsg: libc.func('int recvmmsg(int, void *, uint32_t, int, void *)'),
      sendmmsg: libc.func('int sendmmsg(int, void *, uint32_t, int)'),
      epollCreate: libc.func('int epoll_create1(int)'),
      epollControl: libc.func('int epoll_ctl(int, int, int, void *)'),
      epollWait: libc.func('int epoll_wait(int, void *, int, int)'),
      ppoll: libc.func('int ppoll(void *, unsigned long, void *, void *)'),
      threadId: libc.func('int gettid()'),
      setScheduler: libc.func('int sched_setscheduler(int, int, void *)'),
      setPriority: libc.func('int setpriority(int, uint32_t, int)'),
      eventLoopDescriptor: findEventLoop(koffi),
      addressOf: (bytes) => BigInt(koffi.address(bytes)),
      allocate(bytes) {
        const pointer: unknown = koffi.alloc('uint8_t', bytes);
        return {
          pointer,
          view: new DataView(koffi.view(pointer, bytes)),
          address: BigInt(koffi.address(pointer)),
        };
      },
    };
  } catch {
    return undefined;
  }
}

/**
 * Node exports its public C++ functions, and libuv's, for native addons (node.h: `GetCurrentEventLoop`). They are called
 * in the thread whose loop is asked for.
 */
function findEventLoop(koffi: Pick<typeof import('koffi').default, 'load'>): () => number {
  try {
    const node = koffi.load(null);
    const isolate = node.func('_ZN2v87Isolate10GetCurrentEv', 'void *', []);
    const loop = node.func('_ZN4node19GetCurrentEventLoopEPN2v87IsolateE', 'void *', ['void *']);
    const descriptor = node.func('int uv_backend_fd(void *)');
    return () => descriptor(loop(isolate()));
  } catch {
    return () => -1;
  }
}
