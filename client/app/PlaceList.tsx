import { ChevronLeft, ChevronRight, LockKeyhole, LogOut } from 'lucide-react'
import type { KeyboardEvent, RefObject } from 'react'
import { Link, useLocation } from 'wouter'
import type { User } from '../../contract/account/account.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { useEnv } from '../ui/env.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { lockPage } from './lockPage.ts'
import { PLACE_ICONS } from './placeIcons.tsx'
import { addressOf, GROUPS, tabOf } from './places.ts'
import { type Place, TITLES } from './settingsWords.ts'
import { useLockWords, usePlaceStates } from './usePlaceStates.tsx'

/** The id of the page beside the list, which the tabs control. */
export const PAGE_ID = 'settings-page'

interface Props {
  user: User
  place: Place
  /** True where a phone shows the list alone. */
  isAlone: boolean
  title: RefObject<HTMLHeadingElement | null>
  onBack: () => void
  onLogout: () => void
}

/** All pages of the settings. The first of each group is the tab: a tab list may hold nothing but tabs, so it names them only. */
export function PlaceList({ user, place, isAlone, title, onBack, onLogout }: Props) {
  const env = useEnv()
  const [, navigate] = useLocation()
  const states = usePlaceStates(user)
  const lockWords = useLockWords(user.id)
  const Title = isAlone ? 'h1' : 'h2'
  const row = (each: Place) => (
    <Row key={each} place={each} current={place} isAlone={isAlone} words={states[each].words} asks={states[each].asks} />
  )
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a label
    <div className="places" role={isAlone ? 'main' : 'navigation'} aria-label="Settings">
      <div className="places-top">
        <IconButton icon={ChevronLeft} label="Back to chat" onClick={onBack} />
        <Title ref={title} tabIndex={-1}>
          Settings
        </Title>
        <kbd aria-hidden>Esc</kbd>
      </div>
      <div className="places-me">
        <Avatar id={user.id} name={user.displayName} photo={user.profileImageUrl} size={60} />
        <div>
          <b className="cut" dir="auto">
            {user.displayName}
          </b>
          <p className="cut">@{user.username.toLowerCase()}</p>
        </div>
      </div>
      <div
        role="tablist"
        aria-label="Profile settings"
        aria-orientation="vertical"
        aria-owns={GROUPS.map(([tab]) => `place-${tab}`).join(' ')}
      />
      {GROUPS.map((group) => (
        <div key={group[0]} className="places-group">
          {group.map(row)}
        </div>
      ))}
      <div className="places-group">
        <button
          type="button"
          className="place"
          aria-describedby="place-lock"
          aria-keyshortcuts="Control+Alt+L"
          onKeyDown={walk}
          onClick={() => void lockPage(env, user.id, navigate)}
        >
          <LockKeyhole className="i" aria-hidden />
          <span className="place-words">
            Lock now
            <span className="place-state" id="place-lock" aria-hidden>
              {lockWords}
            </span>
          </span>
          <kbd aria-hidden>Ctrl Alt L</kbd>
        </button>
        <button type="button" className="place" onKeyDown={walk} onClick={onLogout}>
          <LogOut className="i" aria-hidden />
          <span className="place-words">
            Logout
            <span className="place-state" aria-hidden>
              Of this browser
            </span>
          </span>
        </button>
      </div>
    </div>
  )
}

interface RowProps {
  place: Place
  current: Place
  isAlone: boolean
  words: string
  asks: string | undefined
}

function Row({ place, current, isAlone, words, asks }: RowProps) {
  const Icon = PLACE_ICONS[place]
  const id = `place-${place}`
  const isTab = tabOf(place) === place
  return (
    <Link
      id={id}
      className="place"
      href={addressOf(place)}
      state={isAlone ? { isFromList: true } : null}
      replace={!isAlone && place === current}
      aria-current={!isAlone && place === current ? 'page' : undefined}
      onKeyDown={walk}
      aria-describedby={`${id}-state`}
      {...(isTab && { role: 'tab', 'aria-selected': tabOf(current) === place, ...(!isAlone && { 'aria-controls': PAGE_ID }) })}
    >
      <Icon className="i" aria-hidden />
      <span className="place-words">
        {TITLES[place]}
        <span className="place-state" id={`${id}-state`} aria-hidden>
          {asks ?? words}
        </span>
      </span>
      {asks && <span className="place-asks" title={asks} />}
      <ChevronRight className="i i-16 place-end" aria-hidden />
    </Link>
  )
}

/** The arrows walk the rows; the space bar opens a tab as well. */
function walk(event: KeyboardEvent<HTMLElement>) {
  const { key, currentTarget } = event
  if (key === ' ' && currentTarget.role === 'tab') {
    event.preventDefault()
    return currentTarget.click()
  }
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const rows = [...(currentTarget.closest('.places')?.querySelectorAll<HTMLElement>('.place') ?? [])]
  rows[(rows.indexOf(currentTarget) + step + rows.length) % rows.length]?.focus()
}
