import { ArrowUp, Mic, Pause, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { showToast } from '../../ui/toast.ts'
import { lengthWords } from './fileWords.ts'
import type { Prepared } from './prepareFile.ts'
import { peaksOf, type Recording, record, voiceMessage } from './recording.ts'
import { type Press, useHold } from './useHold.tsx'
import { VoicePlayer, Wave } from './VoicePlayer.tsx'
import './files.css'
import './recorder.css'

interface Props {
  /** Where the microphone was pressed, if it still is. */
  heldFrom: Press | undefined
  onCancel: () => void
  onSend: (message: Prepared) => Promise<void>
}

/**
 * Records a voice message: it can be paused, heard, gone on with, sent, or thrown away. While the microphone is held, letting go sends it.
 */
export function Recorder({ heldFrom, onCancel, onSend }: Props) {
  const recording = useRef<Recording>(undefined)
  const [, setTicks] = useState(0)
  const [isReady, setReady] = useState(false)
  const [heard, setHeard] = useState<string>()
  const give = useRef(onCancel)
  give.current = onCancel

  useEffect(() => {
    let isOver = false
    record(() => setTicks((ticks) => ticks + 1)).then(
      (started) => {
        recording.current = started
        if (isOver) started.drop()
        else setReady(true)
      },
      (error: unknown) => {
        if (isOver) return
        showToast({ tone: 'bad', title: 'Microphone Error', text: wordsOf(error) })
        give.current()
      },
    )
    return () => {
      isOver = true
      recording.current?.drop()
    }
  }, [])
  useEffect(() => () => void (heard && URL.revokeObjectURL(heard)), [heard])

  const now = recording.current
  const seconds = now?.seconds() ?? 0
  const levels = now?.levels() ?? []
  const isFull = seconds >= SAID.voiceSeconds

  async function pause() {
    if (now) setHeard(URL.createObjectURL(await now.pause()))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the end of what one message holds
  useEffect(() => {
    if (isFull && !heard) void pause()
  }, [isFull])

  async function send() {
    if (!now) return
    const sound = await now.end()
    recording.current = undefined
    await onSend(voiceMessage(sound, levels, seconds))
  }

  const { isHeld, isAway } = useHold({
    from: heldFrom,
    isReady: isReady && levels.length > 0,
    onRelease: () => void send(),
    onCancel,
  })

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a group of a form's fields
    <div className="recorder" role="group" aria-label="Voice message">
      {!isHeld && <IconButton icon={Trash2} label="Throw away" onClick={onCancel} />}
      {heard ? (
        <VoicePlayer
          voice={{ seconds, peaks: toBase64(Uint8Array.from(peaksOf(levels))) }}
          url={heard}
          part={undefined}
          onWant={() => undefined}
          onBroken={() => showToast({ tone: 'bad', title: 'Error', text: 'This browser cannot play the recording' })}
        />
      ) : (
        <span className="recording" role="status" aria-label={isReady ? 'Recording' : 'Waiting for the microphone'}>
          <span className="recording-dot" aria-hidden />
          <Wave peaks={stripOf(levels)} part={1} />
          <span className="att-length">{lengthWords(seconds)}</span>
        </span>
      )}
      {isHeld ? (
        <span className={isAway ? 'att-hold away' : 'att-hold'} role="status">
          {isAway ? 'Let go to throw it away' : 'Let go to send, slide away to throw it away'}
        </span>
      ) : heard ? (
        !isFull && (
          <IconButton
            icon={Mic}
            label="Go on recording"
            onClick={() => {
              now?.resume()
              setHeard(undefined)
            }}
          />
        )
      ) : (
        <IconButton icon={Pause} label="Pause and listen" onClick={() => void pause()} />
      )}
      {!isHeld && (
        <button
          type="button"
          className="send"
          aria-label="Send voice message"
          disabled={!isReady || levels.length === 0}
          onClick={() => void send()}
        >
          <ArrowUp className="i" aria-hidden />
        </button>
      )}
    </div>
  )
}

/** The newest levels at the right end of a strip that is as long from the first moment on. */
const stripOf = (levels: number[]): number[] => [...Array<number>(SAID.voicePeaks).fill(0), ...levels].slice(-SAID.voicePeaks)

function wordsOf(error: unknown): string {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotFoundError') return 'No microphone found on this device'
  if (name === 'NotAllowedError') return 'Microphone access denied. Please allow it in the settings of this page and try again'
  return 'Unable to access the microphone'
}
