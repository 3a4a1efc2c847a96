package dev.weir.text.message;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Explains to people why a file cannot be used; Java's exceptions often say no more than its name. */
public final class FileErrors {
    private FileErrors() {}

    /** Returns the reason without the file's name. */
    public static String why(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "it does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException || e instanceof NotDirectoryException) {
            return "it is not a folder";
        }
        String reason = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }

    /** Returns the reason with the file's name, if the exception has it. */
    public static String what(IOException e) {
        return e instanceof FileSystemException of && of.getFile() != null
                ? of.getFile() + ": " + why(e)
                : String.valueOf(e.getMessage());
    }
}
