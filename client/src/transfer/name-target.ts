/** Names the wanted file in an error of the file system: a failed write names none, or the temporary one. */
export async function nameTarget<T>(path: string, writing: Promise<T>): Promise<T> {
  return await writing.catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== undefined) error.path = path;
    throw error;
  });
}
