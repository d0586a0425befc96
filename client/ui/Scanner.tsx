import { CameraOff, LoaderCircle } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type CameraTrouble, cameraWords, startScan } from './camera.ts'
import { Note } from './Note.tsx'
import './scanner.css'

interface Props {
  /** What the person can do without a camera, such as "compare the digits". */
  instead: string
  /** Called for each new code, not again for the same one. */
  onCode: (text: string) => void
  onStop: () => void
}

/** Scans for a QR code while it is rendered and the page is visible. */
export function Scanner({ instead, onCode, onStop }: Props) {
  const video = useRef<HTMLVideoElement>(null)
  const stop = useRef<HTMLButtonElement>(null)
  const [state, setState] = useState<'starting' | 'live' | CameraTrouble>('starting')
  const [attempt, setAttempt] = useState(0)
  const isInFront = useInFront()
  // The button that opened the scanner is gone, so the focus moves here.
  useEffect(() => stop.current?.focus(), [])
  const latest = useRef(onCode)
  useEffect(() => {
    latest.current = onCode
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts the camera anew
  useEffect(() => {
    if (!video.current || !isInFront) return
    setState('starting')
    return startScan(video.current, {
      onLive: () => setState('live'),
      onCode: (text) => latest.current(text),
      onTrouble: setState,
    })
  }, [isInFront, attempt])

  const isRunning = state === 'starting' || state === 'live'
  return (
    <div className="scan">
      <div className="cam" hidden={!isRunning}>
        <video ref={video} muted playsInline aria-label="What the camera sees" />
        {state === 'starting' && <LoaderCircle className="i i-24 spin" aria-hidden />}
        {state === 'live' && (
          <svg className="corners" viewBox="0 0 100 100" aria-hidden="true">
            <path d="M4 26V10a6 6 0 0 1 6-6h16M74 4h16a6 6 0 0 1 6 6v16M96 74v16a6 6 0 0 1-6 6H74M26 96H10a6 6 0 0 1-6-6V74" />
          </svg>
        )}
        <p role="status">{state === 'starting' ? 'Starting the camera' : 'Looking for a code'}</p>
      </div>
      {!isRunning && (
        <Note icon={CameraOff} tone="danger" role="alert">
          <strong>Camera Error</strong>
          <br />
          {cameraWords(state, instead)}
        </Note>
      )}
      <div className="scan-acts">
        {!isRunning && (
          <button type="button" className="btn outline" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
        )}
        <button ref={stop} type="button" className="btn outline" onClick={onStop}>
          {isRunning ? 'Stop scan' : 'Back'}
        </button>
      </div>
    </div>
  )
}

/** True while the page is visible. A hidden page must not use the camera. */
function useInFront(): boolean {
  const [isInFront, setInFront] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const look = () => setInFront(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isInFront
}
