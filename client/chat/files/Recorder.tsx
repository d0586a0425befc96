import { ArrowUp, Eye, Mic, Pause, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { keepVoice, onPauseAsked, type Recording, takeVoice, voiceOf } from '../../rooms/list/voicedrafts.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { lengthWords } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import type { Prepared } from './prepareFile.ts'
import { newRecording, peaksOf, voiceMessage } from './recording.ts'
import { type Press, useHold } from './useHold.tsx'
import { VoicePlayer } from './VoicePlayer.tsx'
import { Wave } from './Wave.tsx'
import './files.css'
import './recorder.css'

interface Props {
  chatRoomId: string
  /** Somebody else can open it. */
  hasReader: boolean
  /** The place of a press that still holds the microphone. */
  heldFrom: Press | undefined
  onCancel: () => void
  onSend: (message: Prepared) => Promise<void>
}

/** Release of a held microphone sends the recording; Escape or leaving the chat keeps a paused voice draft. */
export function Recorder({ chatRoomId, hasReader, heldFrom, onCancel, onSend }: Props) {
  const recording = useRef(voiceOf(chatRoomId))
  const isGone = useRef(false)
  const [, setTicks] = useState(0)
  const [isReady, setReady] = useState(false)
  const [heard, setHeard] = useState<string>()
  const [isOnce, setOnce] = useState(recording.current?.isOnce ?? false)

  const now = recording.current
  const seconds = now?.seconds() ?? 0
  const levels = now?.levels() ?? []
  const isFull = seconds >= SAID.voiceSeconds

  async function goOn() {
    setHeard(undefined)
    setReady(false)
    try {
      recording.current ??= newRecording()
      const mine = recording.current
      await mine.resume(() => setTicks((ticks) => ticks + 1))
      if (isGone.current || recording.current !== mine) return
      keepVoice(chatRoomId, mine)
      setReady(true)
    } catch (error) {
      if (isGone.current) return
      showToast({ tone: 'bad', title: 'Microphone Error', text: wordsOf(error) })
      await pause()
    }
  }

  /** An empty recording is not kept. */
  async function pause() {
    if (!recording.current?.levels().length) return throwAway()
    const said = await recording.current.pause()
    if (isGone.current) return
    setHeard(URL.createObjectURL(said))
    setReady(true)
  }

  function throwAway() {
    takeVoice(chatRoomId)
    recording.current?.drop()
    recording.current = undefined
    onCancel()
  }

  function chooseOnce() {
    if (recording.current) recording.current.isOnce = isOnce ? undefined : true
    setOnce(!isOnce)
  }

  async function send() {
    const sent = recording.current
    if (!sent) return
    recording.current = undefined
    takeVoice(chatRoomId)
    const said = voiceMessage(await sent.end(), levels, seconds)
    await onSend({ ...said, isOnce: sent.isOnce })
  }

  const latest = useLatest({ goOn, pause })
  useEffect(() => {
    isGone.current = false
    void (recording.current ? latest.current.pause() : latest.current.goOn())
    return () => {
      isGone.current = true
      leave(chatRoomId, recording.current)
    }
  }, [chatRoomId, latest])
  useEffect(() => () => void (heard && URL.revokeObjectURL(heard)), [heard])
  useEffect(() => (heard ? undefined : onPauseAsked(() => void latest.current.pause())), [heard, latest])
  useEffect(() => {
    // The recording has reached the maximum length.
    if (isFull) void latest.current.pause()
  }, [isFull, latest])

  const { isHeld, isAway } = useHold({
    from: heldFrom,
    isReady: isReady && levels.length > 0,
    onRelease: () => void send(),
    onCancel: throwAway,
  })

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a group of a form's fields
    <div className="recorder" role="group" aria-label="Voice message">
      {!isHeld && <IconButton icon={Trash2} label="Throw away" onClick={throwAway} />}
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
        !isFull && <IconButton icon={Mic} label="Go on recording" onClick={() => void goOn()} />
      ) : (
        <IconButton icon={Pause} label="Pause and listen" onClick={() => void pause()} />
      )}
      {!isHeld && hasReader && (
        <button
          type="button"
          className="icon-btn att-once"
          aria-label="View once"
          aria-pressed={isOnce}
          data-tip=""
          onClick={chooseOnce}
        >
          <Eye className="i" aria-hidden />
        </button>
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

/** Drops an empty recording, or any recording on a locked page. */
function leave(chatRoomId: string, recording: Recording | undefined): void {
  if (!recording) return
  const isKept = recording.levels().length > 0 && voiceOf(chatRoomId) === recording
  if (isKept) return void recording.pause()
  if (voiceOf(chatRoomId) === recording) takeVoice(chatRoomId)
  recording.drop()
}

/** The strip has its full length from the start; new levels enter at the right. */
const stripOf = (levels: number[]): number[] => [...Array<number>(SAID.voicePeaks).fill(0), ...levels].slice(-SAID.voicePeaks)

function wordsOf(error: unknown): string {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotFoundError') return 'No microphone found on this device'
  if (name === 'NotAllowedError') return 'Microphone access denied. Please allow it in the settings of this page and try again'
  return 'Unable to access the microphone'
}
