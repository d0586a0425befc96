import { useCallback, useEffect, useState } from 'react'
import { type CallDevices, listDevices } from './calls.ts'
import { DeviceFields } from './DeviceFields.tsx'
import { deviceWords } from './viewWords.ts'

/** The devices with a level and a picture, apart from a call. They are opened while it is shown. */
export function TryDevices() {
  const [stream, setStream] = useState<MediaStream | null>(null)
  const [failure, setFailure] = useState<string>()
  const [attempt, setAttempt] = useState(0)
  const again = useCallback(() => setAttempt((count) => count + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice opens them anew
  useEffect(() => {
    let isShown = true
    let opened: MediaStream | undefined
    const stop = () => {
      for (const track of opened?.getTracks() ?? []) track.stop()
    }
    openChosen().then(
      (next) => {
        opened = next
        if (isShown) setStream(next)
        else stop()
      },
      (error: unknown) => isShown && setFailure(deviceWords(error)),
    )
    return () => {
      isShown = false
      stop()
      setStream(null)
    }
  }, [attempt])
  return (
    <div className="try-devices">
      {failure && <p role="alert">{failure}</p>}
      <DeviceFields stream={stream} hasPreview onChosen={again} />
    </div>
  )
}

/** A browser without a camera is tried by its microphone. */
async function openChosen(): Promise<MediaStream> {
  const { chosen, hasNoiseSuppression } = await listDevices()
  const audio = { ...wish(chosen.microphone), noiseSuppression: hasNoiseSuppression, echoCancellation: true }
  const both = navigator.mediaDevices.getUserMedia({ audio, video: wish(chosen.camera) ?? true })
  return await both.catch(() => navigator.mediaDevices.getUserMedia({ audio }))
}

/** Not `exact`: in the place of one that was unplugged comes another. */
const wish = (id: CallDevices['chosen']['camera']) => (id ? { deviceId: id } : undefined)
