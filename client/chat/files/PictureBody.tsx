import { useEffect, useMemo, useRef, useState } from 'react'
import { later } from '../../ui/later.tsx'
import { Blurred } from './Blurred.tsx'
import { nameOf } from './fileWords.ts'
import type { Held } from './openedFiles.ts'
import { NotThere, useOpened } from './useOpened.tsx'

const Viewer = later(async () => (await import('./Viewer.tsx')).Viewer)

const WIDE_PX = 320
const HIGH_PX = 360

/** The message's blurred preview takes the place of the whole picture first. */
export function PictureBody({ held, seq, isOut }: { held: Held; seq: number | null; isOut: boolean }) {
  const box = useRef<HTMLButtonElement>(null)
  const [isNear, setNear] = useState(false)
  const [tries, setTries] = useState(0)
  const [isBroken, setBroken] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const { url, failure, isRefused } = useOpened(held, isNear && !isOut && tries >= 0)
  const { picture, name } = held.file
  const size = useMemo(() => fitted(picture?.width ?? 4, picture?.height ?? 3), [picture])
  useEffect(() => {
    const element = box.current
    if (!element) return
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), { rootMargin: '400px' })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  function retry() {
    setBroken(false)
    setNear(false)
    setTries(tries + 1)
    setTimeout(() => setNear(true))
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
        style={{ width: size.width, aspectRatio: `${size.width} / ${size.height}` }}
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

/** px */
function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, WIDE_PX / width, HIGH_PX / height)
  return { width: Math.max(120, Math.round(width * scale)), height: Math.max(80, Math.round(height * scale)) }
}
