/** What client/early.js leaves for the page. */
interface Early {
  /** Answers by path, asked for while the code loads. */
  asked?: Record<string, Promise<Response> | undefined>
  askedAtMs?: number
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

/** The challenge for the session in an answer holds for two minutes at least. */
const YOUNG_MS = 60_000

/** As `fetch`. The first question takes the answer that is on its way already. */
export function wire(path: string, init: RequestInit): Promise<Response> {
  const { asked, askedAtMs = 0 } = globalThis.early ?? {}
  const answer = init.method === 'GET' && Date.now() - askedAtMs < YOUNG_MS ? asked?.[path] : undefined
  if (!answer) return fetch(path, init)
  delete asked?.[path]
  return answer
}
