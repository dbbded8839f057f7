@NullMarked
package com.example.shop;

import org.jspecify.annotations.NullMarked;
