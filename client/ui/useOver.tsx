import { useEffect, useState } from 'react'
import { noteOpener } from './opener.ts'
import { addStep, type Rank } from './steps.ts'
import { useLatest } from './useLatest.tsx'

/** A step back closes what is open while it is rendered. The returned function then gives the focus back. */
export function useOver(onClose: () => void, rank: Rank = 'over', opener?: Element | null): () => void {
  const latest = useLatest(onClose)
  const [giveBack] = useState(() => noteOpener(opener ?? undefined))
  useEffect(() => addStep(rank, () => latest.current()), [rank, latest])
  return giveBack
}
