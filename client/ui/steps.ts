/** A step back closes the last first: `over` lies over the page, `panel` beside a chat. */
export type Rank = 'panel' | 'search' | 'selection' | 'reply' | 'over'

interface Step {
  rank: Rank
  close: () => void
}

const RANKS: Rank[] = ['panel', 'search', 'selection', 'reply', 'over']

let steps: Step[] = []
let tell = (): void => undefined

/** The returned function takes it out again. */
export function addStep(rank: Rank, close: () => void): () => void {
  const step = { rank, close }
  steps = [...steps, step]
  tell()
  return () => {
    steps = steps.filter((one) => one !== step)
    tell()
  }
}

export const openSteps = (): number => steps.length

/** Tells of each that opens or has closed. Returns an end. */
export function followSteps(onChange: () => void): () => void {
  tell = onChange
  return () => {
    tell = () => undefined
  }
}

/** False if nothing was open. */
export function closeStep(): boolean {
  const top = RANKS.map((rank) => steps.findLast((step) => step.rank === rank)).findLast((step) => step)
  top?.close()
  return top !== undefined
}
