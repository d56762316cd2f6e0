/** A named point between two steps. Does nothing unless a crash test told the process to die there. */
export type Checkpoint = (name: string) => void;
