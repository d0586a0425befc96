import { useEffect, useRef, useState } from 'react'
import { useEnv } from './env.tsx'
import { beforeWords, leftWords, WHILE } from './stretchingWords.ts'
import './stretching.css'

const LOOK_EVERY_MS = 300
const SETTLED_MS = 1500
/** From here on the pace so far tells more than the estimate. */
const SHARE_TOLD = 0.03

let measured: Promise<number | null> | undefined

/** How long a password takes to become a key, and how far that is, under the last password field of a form. */
export function Stretching() {
  const env = useEnv()
  const place = useRef<HTMLDivElement>(null)
  const [seconds, setSeconds] = useState<number>()
  const [standing, setStanding] = useState<{ share: number; left?: number | undefined } | null>(null)
  const [isHere, setMeant] = useState(false)

  useEffect(() => {
    // The page that has just come is busy, and would look slower than it is.
    const timer = setTimeout(() => {
      measured ??= env.crypto.stretching('seconds')
      measured.then(
        (found) => setSeconds(found ?? undefined),
        () => {
          measured = undefined
        },
      )
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [env])

  useEffect(() => {
    let begunMs: number | undefined
    let isOver = false
    async function look() {
      const share = await env.crypto.stretching('share').catch(() => null)
      if (isOver) return
      begunMs = share === null ? undefined : (begunMs ?? Date.now())
      const left = share === null || begunMs === undefined ? undefined : ((Date.now() - begunMs) / 1000 / share) * (1 - share)
      setStanding(share === null ? null : { share, left: share < SHARE_TOLD ? undefined : left })
      if (place.current) setMeant(isMeant(place.current))
    }
    const timer = setInterval(() => void look(), LOOK_EVERY_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [env])

  const left = standing?.left ?? (seconds === undefined ? undefined : seconds * (1 - (standing?.share ?? 0)))
  return (
    <div ref={place} className="stretching">
      {isHere && standing && (
        <>
          <p className="row-of-two">
            <span role="status">Opening your keys</span>
            <span>{left === undefined ? '' : leftWords(left)}</span>
          </p>
          <progress aria-label="Opening your keys" value={standing.share} max={1} />
          <p className="row-of-two">
            <span>{WHILE}</span>
            <button type="button" className="linkish" onClick={() => void env.crypto.stretching('stop')}>
              Cancel
            </button>
          </p>
        </>
      )}
      {isHere && !standing && place.current?.closest('form') && seconds !== undefined && seconds >= 2 && (
        <p>{beforeWords(seconds)}</p>
      )}
    </div>
  )
}

/** In a form the last of its places, once something is typed: a page may have several forms. */
function isMeant(place: HTMLElement): boolean {
  const form = place.closest('form')
  if (!form) return true
  const isTyped = [...form.querySelectorAll('input')].some(({ value }) => value !== '')
  return isTyped && [...form.querySelectorAll('.stretching')].at(-1) === place
}
