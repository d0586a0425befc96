let asked: Promise<Record<string, unknown> | undefined> | undefined

/** The fields of `GET /api/user`, which client/early.js has asked for; undefined where nobody is signed in. */
export function whoIsHere(): Promise<Record<string, unknown> | undefined> {
  asked ??= ask()
  return asked
}

async function ask(): Promise<Record<string, unknown> | undefined> {
  const answer = await globalThis.early?.asked?.['/api/user']?.catch(() => undefined)
  // An answer that is not read keeps its connection busy.
  const body: unknown = await answer?.json().catch(() => undefined)
  return answer?.ok && typeof body === 'object' && body !== null ? Object(body) : undefined
}
