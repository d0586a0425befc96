import { closeStep, followSteps, openSteps } from '../ui/steps.ts'
import { LISTS } from './chatAddresses.ts'

/** What an entry of the history is marked with. It survives a reload. */
interface Mark {
  /** The list of chats lies beneath. */
  list?: true
  /** How many open things it stands for, above the first entry of the same address. */
  steps?: number
}

const mark = (): Mark => history.state ?? {}
const isChat = (path: string): boolean => path.startsWith('/chat/')

/** By the browser itself: the router and the toasts would take the page's own for another screen. */
const { pushState, replaceState } = History.prototype

/** Puts the list beneath the chat that is shown. */
function layList(): void {
  const { href } = location
  const { steps: _, ...state } = mark()
  replaceState.call(history, null, '', '/')
  pushState.call(history, { ...state, list: true } satisfies Mark, '', href)
}

/**
 * Makes the Back of a phone go one step: each thing that opens has an entry of the history, and beneath a chat lies the list. What was closed
 * otherwise leaves its entry to the next one; Back passes over it.
 */
export function followBack(): () => void {
  let at = { url: '', path: '', ...mark() }
  function look() {
    at = { url: location.href, path: location.pathname, ...mark() }
  }

  function onMove({ type }: Event) {
    const isReplaced = type === 'replaceState'
    const isAbove = (isReplaced ? at.list : LISTS.includes(at.path)) && isChat(location.pathname)
    const steps = isReplaced && at.steps
    // What follows a payment takes the place of the plans.
    if (isReplaced && !isAbove && isChat(location.pathname) && !isChat(at.path)) layList()
    else if (isAbove || steps)
      replaceState.call(history, { ...mark(), ...(isAbove && { list: true }), ...(steps && { steps }) }, '')
    look()
  }

  function onSteps() {
    const { steps = 0 } = mark()
    if (openSteps() > steps) pushState.call(history, { ...mark(), steps: steps + 1 }, '')
    look()
  }

  function onPop() {
    const { steps: were = 0, url, list } = at
    look()
    const { steps = 0 } = at
    // Another chat may have taken the place of a step.
    const isSame = url === at.url || (list && at.list)
    if (openSteps() > steps) {
      closeStep()
      // What refuses to close, as while it saves, has lost its entry.
      setTimeout(onSteps)
    } else if (were > steps && isSame) history.back()
  }

  if (isChat(location.pathname) && !mark().list) layList()
  look()
  onSteps()
  const endSteps = followSteps(onSteps)
  const moves = ['pushState', 'replaceState'] as const
  for (const move of moves) addEventListener(move, onMove)
  addEventListener('popstate', onPop)
  return () => {
    endSteps()
    for (const move of moves) removeEventListener(move, onMove)
    removeEventListener('popstate', onPop)
  }
}
