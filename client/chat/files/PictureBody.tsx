import { useMemo, useRef, useState } from 'react'
import { later } from '../../ui/later.tsx'
import { Blurred } from './Blurred.tsx'
import { nameOf } from './fileWords.ts'
import { frameOf } from './frameOf.ts'
import type { Held } from './openedFiles.ts'
import { useOnceNear } from './useOnceNear.tsx'
import { NotThere, useOpened } from './useOpened.tsx'

const Viewer = later(async () => (await import('./Viewer.tsx')).Viewer)

const UNKNOWN = { width: 340, height: 255 }

/** The message's blurred preview takes the place of the whole picture first. */
export function PictureBody({ held, seq, isOut }: { held: Held; seq: number | null; isOut: boolean }) {
  const box = useRef<HTMLButtonElement>(null)
  const isNear = useOnceNear(box)
  const [tries, setTries] = useState(0)
  const [isBroken, setBroken] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const { url, failure, isRefused } = useOpened(held, isNear && !isOut && tries % 2 === 0)
  const { picture, name } = held.file
  const size = useMemo(() => frameOf(picture ?? UNKNOWN), [picture])
  function retry() {
    setBroken(false)
    setTries(tries + 1)
    setTimeout(() => setTries(tries + 2))
  }
  const words = isBroken ? 'This browser cannot show it' : failure
  if (words) return <NotThere held={held} failure={words} isRefused={isRefused || isBroken} onRetry={retry} />
  const label = nameOf(name) || 'Photo'
  return (
    <>
      <button
        type="button"
        ref={box}
        className="att-picture"
        style={size}
        aria-label={`Open ${label}`}
        disabled={!url}
        onClick={() => setOpen(true)}
      >
        {!url && <Blurred picture={picture} />}
        {url && <img src={url} alt={label} onError={() => setBroken(true)} />}
      </button>
      {isOpen && <Viewer held={held} seq={seq} onClose={() => setOpen(false)} />}
    </>
  )
}
