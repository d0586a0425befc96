/** What client/early.js leaves for the page. */
interface Early {
  /** Answers by path, asked for while the code loads. */
  asked?: Record<string, Promise<Response> | undefined>
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

/** As `fetch`. The first question takes the answer that is on its way already. */
export function wire(path: string, init: RequestInit): Promise<Response> {
  const early = globalThis.early?.asked
  const asked = init.method === 'GET' ? early?.[path] : undefined
  if (!asked) return fetch(path, init)
  delete early?.[path]
  return asked
}
