declare global {
  /** Set by BrowserPage: brings plain data to the test. */
  function report(happening: { readonly type: string; readonly [field: string]: unknown }): Promise<void>;
}

/** Reports to the test; what is awaited is the test’s concern. */
export function notify(type: string, fields: Readonly<Record<string, unknown>> = {}): void {
  void globalThis.report({ type, ...fields });
}
