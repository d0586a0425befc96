import { CircleAlert, Monitor, MonitorSmartphone, Pencil, Smartphone } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { keyStart } from '../../../contract/account/keyStart.ts'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Note } from '../../ui/Note.tsx'
import { Part } from '../../ui/Part.tsx'
import { lastSeen, moment } from '../../ui/time.ts'
import { loadDevices } from './deviceList.ts'
import { ItWasMe } from './NewDevices.tsx'
import { NotMe, RemoveDevice } from './RemoveDevice.tsx'
import { RenameDevice } from './RenameDevice.tsx'
import { devicesStore, type OwnDevice } from './store.ts'

interface Props {
  /** What stands in the place of the time when the device was last seen: its sessions; undefined while they are not known. */
  sessionOf: (deviceId: string) => ReactNode
  /** Ends the device's sessions; undefined if it has none that can be ended here. */
  signOutOf: (deviceId: string) => (() => void) | undefined
  /** Goes to where the password is changed. */
  onChangePassword: () => void
}

type Doing = { what: 'rename' | 'remove' | 'not_me'; device: OwnDevice }

/** This browser, and the account's others, each with its sessions and what can be done with it. */
export function Devices({ sessionOf, signOutOf, onChangePassword }: Props) {
  const env = useEnv()
  const list = useRef<HTMLUListElement>(null)
  const { status, failure, devices } = useStore(devicesStore)
  const [doing, setDoing] = useState<Doing>()
  const [broken, setBroken] = useState<string>()
  const load = () =>
    loadDevices(env).then(
      () => setBroken(undefined),
      (error) => setBroken(failureWords(error)),
    )
  useEffect(() => {
    loadDevices(env).catch((error) => setBroken(failureWords(error)))
  }, [env])
  const focusNext = () => list.current?.focus()
  const close = () => setDoing(undefined)
  const others = devices.filter(({ isCurrent }) => !isCurrent)
  const row = (device: OwnDevice) => (
    <Device
      key={device.id}
      device={device}
      session={sessionOf(device.id)}
      onSignOut={signOutOf(device.id)}
      onAsk={(what) => setDoing({ what, device })}
      focusNext={focusNext}
    />
  )

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
  return (
    <>
      {failure && (
        <Note icon={CircleAlert} role="alert">
          {failure.replace(/[.]?$/, '.')} When your other browsers were last seen may be out of date.{' '}
          <button type="button" className="linkish" onClick={load}>
            Try again
          </button>
        </Note>
      )}
      <Part title="This browser" text="To sign out here use Logout.">
        {status === 'loading' ? (
          <Loading />
        ) : (
          <ul className="lines" aria-label="This browser">
            {devices.filter(({ isCurrent }) => isCurrent).map(row)}
          </ul>
        )}
      </Part>
      {status === 'ready' && (
        <Part
          id="browsers"
          title="Other browsers"
          text="“Not me” signs a new one out, takes its keys and asks you for a new password."
        >
          {others.length === 0 && <p className="small t2">None.</p>}
          <ul ref={list} className="lines" aria-label="Other browsers" tabIndex={-1}>
            {others.map(row)}
          </ul>
        </Part>
      )}
      {doing?.what === 'rename' && <RenameDevice device={doing.device} onClose={close} />}
      {doing?.what === 'remove' && <RemoveDevice device={doing.device} onClose={close} onRemoved={focusNext} />}
      {doing?.what === 'not_me' && <NotMe device={doing.device} onClose={close} onRemoved={onChangePassword} />}
    </>
  )
}

const PHONES = new Set(['Android', 'iOS'])

interface DeviceProps {
  device: OwnDevice
  session: ReactNode
  onSignOut: (() => void) | undefined
  onAsk: (what: Doing['what']) => void
  focusNext: () => void
}

function Device({ device, session, onSignOut, onAsk, focusNext }: DeviceProps) {
  const now = useNow(60_000)
  const isNew = useStore(devicesStore, ({ announced }) => announced.some(({ id }) => id === device.id))
  const { id, name, browser, system, addedAt, isCurrent, lastSeenAt, leafKey } = device
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
          {seen && ` · ${seen}`} · Key&nbsp;<span className="mono">{keyStart(leafKey)}</span>
        </p>
        {session}
      </div>
      <div className="acts">
        {!isNew && <IconButton icon={Pencil} label={`Name ${name}`} isTight onClick={() => onAsk('rename')} />}
        {isNew && <ItWasMe id={id} name={name} focusNext={focusNext} />}
        {!isNew && onSignOut && (
          <button type="button" className="btn compact outline" aria-label={`Sign out ${name}`} onClick={onSignOut}>
            Sign out
          </button>
        )}
        {!isCurrent && (
          <button
            type="button"
            className="btn compact outline danger-words"
            aria-label={isNew ? `Not me: remove ${name}` : `Remove ${name}`}
            onClick={() => onAsk(isNew ? 'not_me' : 'remove')}
          >
            {isNew ? 'Not me' : 'Remove'}
          </button>
        )}
      </div>
    </li>
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
