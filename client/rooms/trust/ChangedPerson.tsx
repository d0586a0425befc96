import { ShieldAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { onionOf } from '../../../contract/people/onion.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { showToast } from '../../ui/toast.ts'
import { type Choice, ChooseKey } from './ChooseKey.tsx'
import { nameOf, type Person } from './people.ts'
import { isListFault, type ListFault, type Stop } from './refusedList.ts'
import './safety.css'

interface Props {
  person: Person
  mismatch: Stop
  /** `chosen` is one of two keys that two browsers knew. */
  onAccept: (person: Person, chosen?: Choice) => Promise<void>
  onDetails: () => void
}

/** Asks about a changed key or name. Sending stops until the person decides [Note: I1, I3]. */
export function ChangedPerson({ person, mismatch, onAccept, onDetails }: Props) {
  const [asked, setAsked] = useState<Person>()
  if (mismatch === 'numbers_differ')
    return (
      <div className="blocked">
        <Note icon={ShieldAlert} tone="danger" role="alert">
          <strong>Sending is stopped.</strong>{' '}
          <span className="why">
            The safety numbers differ, so somebody may stand between you and <bdi>{nameOf(person)}</bdi>. What you have written is
            kept here.{' '}
          </span>
          <button type="button" className="linkish" onClick={onDetails}>
            What to do
          </button>
        </Note>
      </div>
    )
  if (isListFault(mismatch)) {
    const { title, why } = listWordsOf(person, mismatch)
    return (
      <div className="blocked">
        <Note icon={ShieldAlert} tone="danger" role="alert">
          <strong>{title}</strong> <span className="why">{why}</span>
        </Note>
      </div>
    )
  }
  const { title, why, action } = wordsOf(person, mismatch)
  return (
    <div className="blocked">
      <Note icon={ShieldAlert} tone="danger" role="alert">
        <strong>{title}</strong> <span className="why">{why} </span>
        {(person.identityKey || person.choices) && (
          <button type="button" className="linkish" onClick={() => setAsked(person)}>
            {action}
          </button>
        )}
      </Note>
      {asked?.choices && (
        <ChooseKey
          person={asked}
          choices={asked.choices}
          onChoose={(chosen) => onAccept(asked, chosen)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked && !asked.choices && (
        <Question person={asked} mismatch={mismatch} onAccept={onAccept} onClose={() => setAsked(undefined)} />
      )}
    </div>
  )
}

interface Words {
  title: ReactNode
  why: ReactNode
  action: string
}

type Asked = Exclude<Stop, 'numbers_differ' | ListFault>

function wordsOf(person: Person, mismatch: Asked): Words {
  const name = <bdi>{nameOf(person)}</bdi>
  const ask = 'Sending is stopped: somebody may stand between you.'
  const handle = `@${person.listedUsername}`
  if (mismatch === 'key_conflict')
    return {
      title: person.choices?.some(({ isByAddress }) => isByAddress) ? (
        <>The key of {name} is not the one in the onion address that you entered.</>
      ) : (
        <>Two of your browsers know two keys of {name}.</>
      ),
      why: (
        <>
          One of them may be of somebody who stands between you. None of your browsers sends to {name} until you decide which key
          is theirs.
        </>
      ),
      action: 'Compare and decide',
    }
  if (mismatch === 'key_changed')
    return {
      title: <>The key of {name} has changed.</>,
      why: (
        <>
          {ask} Ask {name} in another way, face to face or on the phone, which onion address is theirs.
        </>
      ),
      action: 'Accept the new key',
    }
  if (mismatch === 'key_undecided')
    return {
      title: <>You have not confirmed the key of {name} yet.</>,
      why: (
        <>
          Your address book was started anew, so none of your browsers knows whom you trusted. Ask {name} in another way, face to
          face or on the phone, which onion address is theirs. Nothing is sent before that.
        </>
      ),
      action: 'Compare and confirm',
    }
  if (mismatch === 'name_changed')
    return {
      title: <>The username of {name} has changed.</>,
      why: (
        <>
          You know this account by another username than {handle}. {ask} Ask {name} in another way, face to face or on the phone,
          what their username and their onion address are.
        </>
      ),
      action: `Accept ${handle}`,
    }
  return {
    title: <>You know somebody else as {handle}.</>,
    why: (
      <>
        The server shows another account under that username. {ask} Ask the person whom you know as {handle} in another way, face
        to face or on the phone, which onion address is theirs.
      </>
    ),
    action: `Accept this account as ${handle}`,
  }
}

/** There is nothing to accept: the key is the one that is known. */
function listWordsOf(person: Person, fault: ListFault): Omit<Words, 'action'> {
  const name = <bdi>{nameOf(person)}</bdi>
  const until = (
    <>
      The key of {name} has not changed. Nothing is sent until the server shows the right list; what you have written is kept
      here.
    </>
  )
  const elsewhere = (
    <>
      One of the two is false, and nobody has signed what a browser notes. Open this chat in your other browsers. If it works
      there, remove in Settings, under Devices, each browser that is not yours; then log out here, remove the keys, and sign in
      again. {until}
    </>
  )
  if (fault === 'list_unsigned')
    return { title: <>The server shows a device list that {name} has not signed.</>, why: <>It was not believed. {until}</> }
  if (fault === 'list_older')
    return { title: <>The server shows an older device list of {name} than before.</>, why: <>It was not believed. {until}</> }
  if (fault === 'list_absent')
    return { title: <>The server shows no device list of {name}.</>, why: <>There was one before. {until}</> }
  if (fault === 'list_older_elsewhere')
    return {
      title: <>The server shows an older device list of {name} than another of your browsers has noted.</>,
      why: elsewhere,
    }
  if (fault === 'list_differs_elsewhere')
    return {
      title: <>The server shows another device list of {name} than another of your browsers has noted.</>,
      why: elsewhere,
    }
  return {
    title: <>The server shows a device list of {name} that contradicts the one before it.</>,
    why: (
      <>
        Both are signed by the key of {name}, so somebody else may hold it. Ask {name} in another way, face to face or on the
        phone, which browsers are theirs. Nothing is sent until the server shows the right list; what you have written is kept
        here.
      </>
    ),
  }
}

interface QuestionProps extends Omit<Props, 'mismatch' | 'onDetails'> {
  mismatch: Asked
  onClose: () => void
}

function Question({ person, mismatch, onAccept, onClose }: QuestionProps) {
  const [isPending, setPending] = useState(false)
  const { title, action } = questionOf(person, mismatch)

  async function accept() {
    setPending(true)
    try {
      await onAccept(person)
      onClose()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'Your decision was not kept', text: failureWords(error) })
    }
  }

  return (
    <AlertDialog
      title={title}
      text={`First compare this onion address with the one that ${nameOf(person)} reads to you, face to face or on the phone. If they differ, somebody else holds this key.`}
      action={action}
      pendingAction="Accepting..."
      isPending={isPending}
      onConfirm={accept}
      onCancel={onClose}
    >
      <p className="mono new-key">{onionOf(person.identityKey)}</p>
    </AlertDialog>
  )
}

function questionOf({ listedUsername }: Person, mismatch: Asked): { title: string; action: string } {
  if (mismatch === 'key_changed') return { title: 'Accept the new key?', action: 'Accept the new key' }
  if (mismatch === 'key_undecided') return { title: 'Confirm this key?', action: 'Confirm this key' }
  return { title: `Accept this account as @${listedUsername}?`, action: `Accept @${listedUsername}` }
}
