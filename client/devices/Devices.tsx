import { CircleAlert, Monitor, MonitorSmartphone, Smartphone } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { WayDialog } from '../security/WayDialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useEnv, useNow } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { lastSeen, moment } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'
import './devices.css'
import { loadDevices } from './list.ts'
import { ItWasMe } from './NewDevices.tsx'
import { removeBrowser, reopenRooms } from './removal.ts'
import { devicesStore, type OwnDevice } from './store.ts'

interface Props {
  /** What stands in the place of the time when the device was last seen: its sessions; undefined while they are not known. */
  sessionOf: (deviceId: string) => ReactNode
  /** Ends the device's sessions; undefined if it has none that can be ended here. */
  signOutOf: (deviceId: string, name: string) => (() => void) | undefined
}

/** The browsers of this account, each with its sessions and a button to remove it. */
export function Devices({ sessionOf, signOutOf }: Props) {
  const env = useEnv()
  const list = useRef<HTMLUListElement>(null)
  const { status, failure, devices } = useStore(devicesStore)
  const [leaving, setLeaving] = useState<OwnDevice>()
  const [broken, setBroken] = useState<string>()
  const load = () =>
    loadDevices(env).then(
      () => setBroken(undefined),
      (error) => setBroken(failureWords(error)),
    )
  useEffect(() => {
    loadDevices(env).catch((error) => setBroken(failureWords(error)))
  }, [env])

  if (broken)
    return (
      <div role="alert">
        <Empty icon={CircleAlert} title="Your devices could not be loaded" text={broken}>
          <button type="button" className="btn outline" onClick={load}>
            Try again
          </button>
        </Empty>
      </div>
    )
  if (status === 'loading') return <Loading />
  return (
    <div className="stack">
      {failure && (
        <Note icon={CircleAlert} role="alert">
          {failure.replace(/[.]?$/, '.')} When your other browsers were last seen may be out of date.{' '}
          <button type="button" className="linkish" onClick={load}>
            Try again
          </button>
        </Note>
      )}
      <ul ref={list} className="lines" aria-label="Your devices" tabIndex={-1}>
        {devices.map((device) => (
          <Device
            key={device.id}
            device={device}
            session={sessionOf(device.id)}
            onSignOut={signOutOf(device.id, device.name)}
            onRemove={() => setLeaving(device)}
            focusNext={() => list.current?.focus()}
          />
        ))}
      </ul>
      {leaving && (
        <Removal
          device={leaving}
          onClose={() => setLeaving(undefined)}
          // The pressed button has been removed with its row, so focus another element.
          focusNext={() => list.current?.focus()}
        />
      )}
    </div>
  )
}

const PHONES = new Set(['Android', 'iOS'])

interface DeviceProps {
  device: OwnDevice
  session: ReactNode
  onSignOut: (() => void) | undefined
  onRemove: () => void
  focusNext: () => void
}

function Device({ device, session, onSignOut, onRemove, focusNext }: DeviceProps) {
  const now = useNow(60_000)
  const isNew = useStore(devicesStore, ({ announced }) => announced.some(({ id }) => id === device.id))
  const { id, name, browser, system, addedAt, isCurrent, lastSeenAt } = device
  const kind = [browser, system].filter(Boolean).join(' on ')
  const Icon = PHONES.has(system) ? Smartphone : system ? Monitor : MonitorSmartphone
  const seen = !isCurrent && !session && lastSeenAt && `last seen ${lastSeen(new Date(lastSeenAt), now)}`
  return (
    <li>
      <Icon className="i" aria-hidden />
      <div>
        <b dir="auto">{name}</b> {isCurrent && <span className="badge ok">This device</span>}
        {isNew && <span className="badge warn">New</span>}
        <p>
          {kind && kind !== name && `${kind} · `}Added {moment(new Date(addedAt))}
          {seen && ` · ${seen}`}
        </p>
        {session}
        {isCurrent && <p>To sign out here use Logout.</p>}
      </div>
      {!isCurrent && (
        <div className="acts">
          {isNew && <ItWasMe id={id} name={name} focusNext={focusNext} />}
          {onSignOut && (
            <button type="button" className="btn compact outline" aria-label={`Sign out ${name}`} onClick={onSignOut}>
              Sign out
            </button>
          )}
          <button type="button" className="btn compact outline danger-words" aria-label={`Remove ${name}`} onClick={onRemove}>
            Remove
          </button>
        </div>
      )}
    </li>
  )
}

function Removal({ device, onClose, focusNext }: { device: OwnDevice; onClose: () => void; focusNext: () => void }) {
  const env = useEnv()
  const [isStolen, setStolen] = useState(false)
  return (
    <WayDialog
      title={`Remove ${device.name}?`}
      text="The browser is signed out at once and reads nothing that is sent afterwards. If it is offline, it keeps showing what is on its screen until it comes online. What it stored cannot be opened again."
      action="Remove"
      pendingAction="Removing..."
      isDangerous
      onClose={onClose}
      onOpen={async (opener) => {
        await removeBrowser(env, opener, device.id, { isStolen })
        onClose()
        requestAnimationFrame(focusNext)
        showToast({ tone: 'good', title: 'Browser removed', text: `${device.name} is no longer part of your account.` })
        reopenRooms(env).catch((error) =>
          showToast({ tone: 'bad', title: 'A conversation is not ready', text: failureWords(error) }),
        )
      }}
    >
      <label className="choice">
        <input type="checkbox" checked={isStolen} onChange={() => setStolen(!isStolen)} />
        <b>It was lost or stolen</b>
        <span>Then everybody whose number you have not compared in this browser becomes “Not verified”.</span>
      </label>
    </WayDialog>
  )
}

function Loading() {
  return (
    <div role="status">
      <span className="sr">Loading your devices...</span>
      <ul className="lines late" aria-hidden="true">
        {['a', 'b'].map((key) => (
          <li key={key}>
            <span className="skel round" />
            <div>
              <div className="skel half" />
              <div className="skel" />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
