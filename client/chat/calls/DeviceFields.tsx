import { ChevronDown } from 'lucide-react'
import { useCallback, useEffect, useId, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { type CallDevice, type CallDevices, chooseDevice, type DeviceKind, listDevices, setNoiseSuppression } from './calls.ts'
import './deviceFields.css'
import { hasPicture, Picture } from './Picture.tsx'
import { playTone } from './playTone.ts'
import { LEVELS, useLevel } from './useLevel.tsx'

interface Props {
  /** What the microphone and the camera give now. */
  stream: MediaStream | null
  hasPreview: boolean
  /** Called after a choice, where the stream is not that of a call. */
  onChosen?: () => void
}

/** Microphone, speaker and camera, with a level and a picture of what they give. */
export function DeviceFields({ stream, hasPreview, onChosen }: Props) {
  const env = useEnv()
  const { devices, failure, look } = useDevices(stream)
  const level = useLevel(stream)

  async function choose(kind: DeviceKind, id: string) {
    await chooseDevice(env, kind, id)
    await look()
    onChosen?.()
  }

  async function suppress(isOn: boolean) {
    await setNoiseSuppression(env, isOn)
    await look()
    onChosen?.()
  }

  if (failure) return <p role="alert">{failure}</p>
  if (!devices) return <p className="late small t2">Looking for devices...</p>
  const { chosen } = devices
  const field = { chosen, onChoose: choose }
  return (
    <div className="device-fields">
      <Device {...field} kind="microphone" label="Microphone" list={devices.microphone} />
      {stream && <Level level={level} />}
      {devices.speaker.length > 0 ? (
        <Device {...field} kind="speaker" label="Speaker" list={devices.speaker}>
          <Tone speaker={chosen.speaker} />
        </Device>
      ) : (
        <p className="device-line">
          <span>
            <b>Speaker</b> As the system
          </span>
          <Tone speaker={null} />
        </p>
      )}
      <Device {...field} kind="camera" label="Camera" list={devices.camera} />
      {hasPreview && hasPicture(stream) && (
        <div className="device-picture">
          <Picture stream={stream} label="Your picture" isMirrored />
        </div>
      )}
      <label className="device-line">
        Suppress noise
        <input
          type="checkbox"
          role="switch"
          className="switch"
          checked={devices.hasNoiseSuppression}
          aria-checked={devices.hasNoiseSuppression}
          onChange={({ target }) => void suppress(target.checked)}
        />
      </label>
    </div>
  )
}

/** The devices, read again whenever one is plugged in or out and once their names may be known. */
function useDevices(stream: MediaStream | null) {
  const [devices, setDevices] = useState<CallDevices>()
  const [failure, setFailure] = useState<string>()
  const look = useCallback(
    () =>
      listDevices().then(setDevices, (error: unknown) => setFailure(`Your devices could not be read. ${failureWords(error)}`)),
    [],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: an opened stream is the occasion
  useEffect(() => {
    void look()
    const { mediaDevices } = navigator
    mediaDevices?.addEventListener('devicechange', look)
    return () => mediaDevices?.removeEventListener('devicechange', look)
  }, [look, stream])
  return { devices, failure, look }
}

/** Names that Chromium has for what the system uses. */
const SYSTEM = ['', 'default', 'communications']

interface DeviceProps {
  kind: DeviceKind
  label: string
  list: CallDevice[]
  chosen: CallDevices['chosen']
  onChoose: (kind: DeviceKind, id: string) => Promise<void>
  children?: React.ReactNode
}

function Device({ kind, label, list, chosen, onChoose, children }: DeviceProps) {
  const id = useId()
  const value = list.some((one) => one.id === chosen[kind]) ? (chosen[kind] ?? '') : ''
  return (
    <div className="device">
      <div className="device-label">
        <label htmlFor={id}>{label}</label>
        {children}
      </div>
      <span className="device-select">
        <select id={id} value={value} disabled={list.length === 0} onChange={({ target }) => void onChoose(kind, target.value)}>
          <option value="">{list.length === 0 ? 'None found' : 'As the system'}</option>
          {list
            .filter((one) => !SYSTEM.includes(one.id))
            .map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
        </select>
        <ChevronDown className="i i-16" aria-hidden />
      </span>
    </div>
  )
}

function Tone({ speaker }: { speaker: string | null }) {
  return (
    <button type="button" className="linkish" onClick={() => void playTone(speaker)}>
      Play a tone
    </button>
  )
}

function Level({ level }: { level: number }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter draws one bar, this has twenty
    <div className="device-level" role="meter" aria-label="Level" aria-valuemin={0} aria-valuemax={LEVELS} aria-valuenow={level}>
      {Array.from({ length: LEVELS }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are alike and stay in their places
        <i key={at} className={at < level ? 'on' : undefined} />
      ))}
    </div>
  )
}
