import { CameraOff, LoaderCircle } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type CameraChoices, type CameraTrouble, cameraWords, startScan } from './camera.ts'
import { Note } from './Note.tsx'
import { useLatest } from './useLatest.tsx'
import './scanner.css'

interface Props {
  /** What the person can do without a camera, such as "compare the digits". */
  instead: string
  /** Called for each new code, not again for the same one. */
  onCode: (text: string) => void
  onStop: () => void
  /** Called when the camera fails. If absent, the scanner itself says why and offers another try. */
  onTrouble?: (trouble: CameraTrouble) => void
}

/** Scans for a QR code while it is rendered and the page is visible. */
export function Scanner({ instead, onCode, onStop, onTrouble }: Props) {
  const video = useRef<HTMLVideoElement>(null)
  const stop = useRef<HTMLButtonElement>(null)
  const [state, setState] = useState<'starting' | 'live' | CameraTrouble>('starting')
  const [attempt, setAttempt] = useState(0)
  const isInFront = useInFront()
  // The button that opened the scanner is gone, so the focus moves here.
  useEffect(() => stop.current?.focus(), [])
  const [choices, setChoices] = useState<CameraChoices>()
  const [cameraId, setCameraId] = useState<string>()
  const latest = useLatest({ onCode, onTrouble })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts the camera anew
  useEffect(() => {
    if (!video.current || !isInFront) return
    setState('starting')
    const events = {
      onLive: (found: CameraChoices) => {
        setState('live')
        setChoices(found)
      },
      onCode: (text: string) => latest.current.onCode(text),
      onTrouble: (trouble: CameraTrouble) => {
        setState(trouble)
        latest.current.onTrouble?.(trouble)
      },
    }
    return startScan(video.current, events, cameraId)
  }, [isInFront, attempt, cameraId])

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
      {state === 'live' && choices && <Choices key={choices.currentId} choices={choices} onCamera={setCameraId} />}
      {!isRunning && !onTrouble && (
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

/** Another camera and the light, where there are any. */
function Choices({
  choices: { cameras, currentId, setTorch },
  onCamera,
}: {
  choices: CameraChoices
  onCamera: (id: string) => void
}) {
  const [isLit, setLit] = useState(false)
  if (cameras.length < 2 && !setTorch) return null
  return (
    <div className="scan-acts">
      {cameras.length > 1 && (
        <select className="input" aria-label="Camera" value={currentId} onChange={(event) => onCamera(event.target.value)}>
          {cameras.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {setTorch && (
        <button
          type="button"
          className="btn outline"
          aria-pressed={isLit}
          // A light that fails stays as it is.
          onClick={() =>
            setTorch(!isLit).then(
              () => setLit(!isLit),
              () => undefined,
            )
          }
        >
          Light
        </button>
      )}
    </div>
  )
}

function watchVisible(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}

/** True while the page is visible. A hidden page must not use the camera. */
const useInFront = (): boolean => useSyncExternalStore(watchVisible, () => document.visibilityState === 'visible')
