import { createContext } from 'react'
import type { MentionedPeople } from './mentionedPeople.ts'

export const MentionedContext = createContext<MentionedPeople>(new Map())
