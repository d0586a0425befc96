import { createStore } from 'zustand/vanilla'

export interface Recording {
  /** The person's choice: it opens once. */
  isOnce?: true | undefined
  /** Starts or resumes; `onLevel` runs ten times a second. Throws DOMException without a microphone or permission. */
  resume(onLevel: () => void): Promise<void>
  /** Releases the microphone and returns the recording so far. */
  pause(): Promise<Blob>
  end(): Promise<Blob>
  drop(): void
  seconds(): number
  /** Loudness per tenth of a second, 0 to 255. */
  levels(): number[]
}

type Voices = ReadonlyMap<string, Recording>

/** Unsent recordings by room id, only in this page's memory: closing the page loses them, so the page asks first. */
export const voiceDraftsStore = createStore<{ voices: Voices }>(() => ({ voices: new Map() }))

export const voiceOf = (chatRoomId: string): Recording | undefined => voiceDraftsStore.getState().voices.get(chatRoomId)

export const hasVoices = (): boolean => voiceDraftsStore.getState().voices.size > 0

export function keepVoice(chatRoomId: string, recording: Recording): void {
  show(new Map(voiceDraftsStore.getState().voices).set(chatRoomId, recording))
}

export function takeVoice(chatRoomId: string): Recording | undefined {
  const voices = new Map(voiceDraftsStore.getState().voices)
  const taken = voices.get(chatRoomId)
  if (voices.delete(chatRoomId)) show(voices)
  return taken
}

export function dropVoices(): void {
  if (!hasVoices()) return
  const { voices } = voiceDraftsStore.getState()
  show(new Map())
  for (const recording of voices.values()) recording.drop()
}

function show(voices: Voices): void {
  voiceDraftsStore.setState({ voices })
  if (voices.size > 0) addEventListener('beforeunload', ask)
  else removeEventListener('beforeunload', ask)
}

const ask = (event: Event): void => event.preventDefault()

let pauseShown: (() => void) | undefined

export function onPauseAsked(pause: () => void): () => void {
  pauseShown = pause
  return () => {
    if (pauseShown === pause) pauseShown = undefined
  }
}

export function pauseVoice(): boolean {
  pauseShown?.()
  return pauseShown !== undefined
}
