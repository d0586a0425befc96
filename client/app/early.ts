/** What client/early.js leaves for the page. */
interface Early {
  /** The answer to `GET /api/user`, asked for while the code loads. */
  user?: Promise<Response> | undefined
  /** The button that was pressed last in the static form, or by Enter. */
  pressed?: Element | null
  /** True if files were dropped that nothing has taken, until that is told. */
  untaken?: boolean
  /** What this browser goes without, in words; empty where it has all. */
  goesWithout?: string
}

declare global {
  var early: Early | undefined
}

/**
 * The frame on screen before the code is there: `app` where this browser stores a user, whose session may have ended. The other frames
 * of index.html do without this code (client/app/entry.ts).
 */
export const firstFrame = (): 'form' | 'app' => (document.documentElement.dataset['frame'] === 'app' ? 'app' : 'form')

/** As `fetch`. The first question for the user takes the answer that is on its way already. */
export function wire(path: string, init: RequestInit): Promise<Response> {
  const asked = path === '/api/user' && init.method === 'GET' ? globalThis.early?.user : undefined
  if (!asked) return fetch(path, init)
  globalThis.early = { ...globalThis.early, user: undefined }
  return asked
}
